import { describe, expect, it } from "vitest";

import { anAutomation } from "../../../test/support/builders.ts";
import { annotations, type Automation } from "../../api/v1alpha1/index.ts";
import { pausedBecause } from "./not-started.ts";

function showing(suspend: boolean, reason?: string, resumeRequestedAt?: string): Automation {
  const status = reason === "NotPaused" ? ("False" as const) : ("True" as const);
  const paused = { type: "Paused", status, message: "", lastTransitionTime: "2026-05-04T10:00:00Z" };
  const requested = { annotations: { [annotations.resumeRequestedAt]: resumeRequestedAt ?? "" } };
  return anAutomation({
    metadata: resumeRequestedAt === undefined ? {} : requested,
    spec: { suspend },
    status: { conditions: reason === undefined ? [] : [{ ...paused, reason }], resumeHandledAt: "handled" },
  });
}

describe("pausedBecause", () => {
  it.each([
    { name: "no condition yet", automation: showing(false), want: undefined },
    { name: "runs start", automation: showing(false, "NotPaused"), want: undefined },
    { name: "suspended, not seen by the controller", automation: showing(true, "NotPaused"), want: /by hand/ },
    { name: "suspended", automation: showing(true, "Suspended"), want: /by hand/ },
    { name: "released, not seen by the controller", automation: showing(false, "Suspended"), want: undefined },
    { name: "too many failures", automation: showing(false, "TooManyFailures"), want: /consecutive failures/ },
    {
      name: "a resume that was acted on",
      automation: showing(false, "TooManyFailures", "handled"),
      want: /failures/,
    },
    {
      name: "a resume that was just asked for",
      automation: showing(false, "TooManyFailures", "new"),
      want: undefined,
    },
    { name: "resumed, but suspended", automation: showing(true, "TooManyFailures", "new"), want: /by hand/ },
  ])("$name", ({ automation, want }) => {
    const reason = pausedBecause(automation);
    if (want) expect(reason).toMatch(want);
    else expect(reason).toBeUndefined();
  });
});
