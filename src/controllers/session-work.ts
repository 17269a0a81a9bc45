import type { Session } from "../api/v1alpha1/session.ts";
import { firstPromptGraceMs } from "../domain/children/admit.ts";
import { isSettled } from "../domain/prompts/prompt-state.ts";
import { keyOf, keyText } from "../lib/resource.ts";
import { indexNames, type KindInformers } from "./kind-informers.ts";

/** Whether a session has something to do. */
export interface SessionWork {
  /** It has a prompt that has not ended, or waits for its first one. */
  isWorking: boolean;
  /** When it no longer counts as waiting for its first prompt (milliseconds since 1970); absent where it does not. */
  awaitsPromptUntilMs?: number;
}

export function sessionWork(
  { prompts }: { prompts: Pick<KindInformers["prompts"], "byIndex"> },
  session: Session,
  now: Date,
): SessionWork {
  const { creationTimestamp = "", deletionTimestamp } = session.metadata;
  if (deletionTimestamp !== undefined) return { isWorking: false };
  const own = prompts.byIndex(indexNames.session, keyText(keyOf(session)));
  const hasHadOne = own.length > 0 || (session.status?.promptsEnded ?? 0) > 0;
  if (hasHadOne) return { isWorking: own.some((prompt) => !isSettled(prompt)) };
  const awaitsPromptUntilMs = Date.parse(creationTimestamp) + firstPromptGraceMs;
  return now.getTime() < awaitsPromptUntilMs ? { isWorking: true, awaitsPromptUntilMs } : { isWorking: false };
}
