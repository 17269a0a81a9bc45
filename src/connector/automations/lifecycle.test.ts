import { expect, it } from "vitest";

import { handledStatus, type Outcome, verdictOf } from "./lifecycle.ts";

const of = (...all: Outcome["became"][]): Outcome[] =>
  all.map((became, index) => ({ automation: `a${index}`, became, message: became }));

it.each<[Outcome["became"][], string, boolean, object]>([
  [["unwanted", "triggered"], "RunsStarted", true, { triggered: 1, skipped: 0 }],
  [["triggered", "duplicate", "waited", "triggered"], "RunsStarted", true, { triggered: 2, skipped: 2 }],
  [["steered", "triggered", "early"], "RunsStarted", true, { triggered: 1, steered: 1, skipped: 1 }],
  [["early", "steered", "steered"], "SessionPrompted", true, { triggered: 0, steered: 2, skipped: 1 }],
  [["unwanted", "early"], "SessionNotStarted", false, { triggered: 0, steered: 0, skipped: 1 }],
  [["unwanted", "duplicate"], "RunsThere", true, { triggered: 0, skipped: 1 }],
  [["waited", "unwanted"], "TooManyUnfinishedRuns", false, { triggered: 0, skipped: 1 }],
  [["unwanted", "unread"], "ProviderUnavailable", false, { triggered: 0, skipped: 1 }],
  [["unread", "triggered"], "RunsStarted", true, { triggered: 1, skipped: 1 }],
  [["unwanted", "unwanted"], "NotWanted", false, { triggered: 0, skipped: 0 }],
  [[], "NotWanted", false, { triggered: 0, skipped: 0 }],
])("%j is %s", (became, reason, succeeded, counts) => {
  const outcomes = of(...became);
  expect(verdictOf(outcomes)).toMatchObject({ reason, succeeded });
  const event = { metadata: { generation: 1 }, spec: {} } as never;
  expect(handledStatus(event, outcomes, new Date("2026-05-04T10:15:00Z"))).toMatchObject({ steered: 0, ...counts });
});

it("Runs come first in the message, which is cut to what the status has room for", () => {
  const long: Outcome = { automation: "long", became: "unwanted", message: "x".repeat(2_000) };
  const outcomes = [long, ...of("triggered")];
  expect(verdictOf(outcomes).message).toMatch(/^a0: triggered; long: x/);
  const status = handledStatus({ metadata: {}, spec: {} } as never, outcomes, new Date("2026-05-04T10:15:00Z"));
  expect(status.conditions?.[0]?.message).toHaveLength(1_024);
});

it("the status names the first prompt that a message became", () => {
  const steered = (promptName: string) => ({ ...of("steered")[0]!, steered: { sessionName: "s", promptName } });
  const outcomes = [...of("unwanted"), steered("p1"), steered("p2")];
  const status = handledStatus({ metadata: {}, spec: {} } as never, outcomes, new Date("2026-05-04T10:15:00Z"));
  expect(status).toMatchObject({ sessionName: "s", promptName: "p1" });
});
