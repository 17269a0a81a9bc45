import { expect, it } from "vitest";

import { refusalRate } from "../attempts/agent-refusals.ts";
import type { Attempt } from "../attempts/attempt.ts";
import { ProgressOfAttempts } from "./progress.ts";

const attempt = (number: number): Attempt => ({
  namespace: "shop",
  session: "upgrade",
  sessionUid: "u",
  attempt: number,
  name: `u-${number}`,
});

it("keeps across connections what an attempt has used up, and begins anew with the next attempt", () => {
  const progress = new ProgressOfAttempts();
  const report = { malformed: refusalRate.burst };
  expect(progress.of(attempt(1), 0).refusals.take(report, 0)).toHaveLength(refusalRate.burst);
  expect(progress.of(attempt(1), 0).refusals.take(report, 0)).toEqual([]);
  expect(progress.of(attempt(2), 0).refusals.take(report, 0)).toHaveLength(refusalRate.burst);
});
