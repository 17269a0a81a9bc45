import type { Prompt } from "../../../api/v1alpha1/prompt.ts";
import { reasons } from "../../../api/v1alpha1/reasons.ts";
import type { ObjectKey } from "../../../lib/resource.ts";
import { failedStatus } from "../../failed-prompt.ts";
import type { Decision } from "../decide.ts";
import type { SessionEffect } from "../effects.ts";
import type { AbsentFacts } from "../facts.ts";

/** A Prompt may be applied before its Session, in one go: 1 minute. */
const graceMs = 60_000;

/** Decides on what is left where there is no session of this name: prompts fail once they have waited long enough. */
export function decideAbsent({ leftovers, lostPrompts }: AbsentFacts, key: ObjectKey, now: Date): Decision {
  const failure = {
    reason: reasons.sessionNotFound,
    message: `there is no Session ${key.name} in namespace ${key.namespace ?? ""}`,
  };
  const late = lostPrompts.filter((prompt) => failsAt(prompt) <= now.getTime());
  const waits = lostPrompts.map(failsAt).filter((atMs) => atMs > now.getTime());
  const effects: SessionEffect[] = [
    ...leftovers.map((leftover) => ({ kind: "deleteLeftover" as const, leftover })),
    ...late.map((prompt) => ({
      kind: "settlePrompt" as const,
      prompt,
      status: failedStatus(prompt, failure, now, undefined),
    })),
  ];
  return { effects, wakeAtMs: waits.length === 0 ? undefined : Math.min(...waits) };
}

function failsAt({ metadata }: Prompt): number {
  return Date.parse(metadata.creationTimestamp ?? "") + graceMs;
}
