import { describe, expect, it } from "vitest";

import { AgentRefusals, refusalRate } from "./agent-refusals.ts";

const { burst } = refusalRate;

it("counts each kind under a reason of its own", () => {
  const refused = {
    malformed: 2,
    tooLarge: 1,
    tooManyConnections: 1,
    secondAgent: 1,
    usage: 1,
    credential: 1,
    signature: 1,
    archive: 1,
  };
  const reasons = [
    ...["AgentImpersonated", "AgentTooLarge", "AgentMalformed", "AgentMalformed", "AgentTooManyConnections"],
    ...["AgentUsageInvalid", "AgentCredentialForeign", "AgentSignatureForeign", "AgentArchiveRefused"],
  ];
  expect(new AgentRefusals(0).take(refused, 0)).toEqual(reasons);
});

describe("a runtime that was taken over", () => {
  it.each([
    { reported: burst - 1, want: burst - 1 },
    { reported: burst, want: burst },
    { reported: burst + 1, want: burst },
    { reported: 1_000, want: burst },
  ])("raises the count by $want when it reports $reported", ({ reported, want }) => {
    expect(new AgentRefusals(0).take({ malformed: reported }, 0)).toHaveLength(want);
  });

  it.each([
    { afterMs: 999, want: 0 },
    { afterMs: 1_000, want: 1 },
    { afterMs: 2_999, want: 2 },
  ])("raises it by $want more within $afterMs ms", ({ afterMs, want }) => {
    const refusals = new AgentRefusals(0);
    refusals.take({ malformed: burst }, 0);
    expect(refusals.take({ malformed: 1_000 }, afterMs)).toHaveLength(want);
  });

  it("cannot hide one kind behind many of another", () => {
    const counted = new AgentRefusals(0).take({ tooManyConnections: 1_000, malformed: 1_000, secondAgent: 1 }, 0);
    expect(counted).toContain("AgentImpersonated");
  });
});
