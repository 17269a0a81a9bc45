import { expect, it } from "vitest";

import { aSession } from "../../../../test/support/builders.ts";
import type { SessionStatus } from "../../../api/v1alpha1/session.ts";
import type { SessionFacts } from "../facts.ts";
import { isWordsToWrite } from "./status-diff.ts";

const now = new Date("2026-05-04T10:15:00Z");

function saying(type: string, message: string, reason = "Told"): SessionStatus {
  return { conditions: [{ type, status: "True", reason, message, lastTransitionTime: "2026-05-04T10:00:00Z" }] };
}

it.each([
  { name: "a kubelet's wording", type: "Ready", reason: "ImagePullFailed", isWorth: false },
  { name: "how many children wait", type: "Ready", reason: "Running", isWorth: true },
  { name: "the budget that leaves events out", type: "EventsLeftOut", reason: "EventsOverBudget", isWorth: true },
])("that $name is another one is worth a write: $isWorth", ({ type, reason, isWorth }) => {
  const session = aSession({ metadata: { namespace: "demo", name: "fix" } });
  const facts = { session: { ...session, status: saying(type, "before", reason) }, prompts: [] };
  const isToWrite = (message: string): boolean =>
    isWordsToWrite(facts as unknown as SessionFacts, saying(type, message, reason), now);
  expect([isToWrite("before"), isToWrite("after")]).toEqual([false, isWorth]);
});
