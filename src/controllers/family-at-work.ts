import { conditionTypes } from "../api/v1alpha1/names.ts";
import { reasons } from "../api/v1alpha1/reasons.ts";
import type { Run } from "../api/v1alpha1/run.ts";
import type { Session } from "../api/v1alpha1/session.ts";
import { parentReference } from "../domain/children/parent.ts";
import { findCondition } from "../domain/conditions.ts";
import type { KindInformers } from "./kind-informers.ts";
import { isQueued } from "./queued-session.ts";
import { familyOf } from "./run-family.ts";
import { sessionWork } from "./session-work.ts";

interface FamilyInformers {
  sessions: Pick<KindInformers["sessions"], "byIndex">;
  prompts: Pick<KindInformers["prompts"], "byIndex">;
}

/** For how long after its Run's end a session that waits for a place counts as at work, in milliseconds: 1 day. */
const queuedMs = 86_400_000;

/**
 * Whether a Session of the Run, or one that agents have started in it, works or will by itself. Those that work end by their
 * own clocks; those that only wait would not, and must not keep Runs for ever.
 */
export function isFamilyAtWork(informers: FamilyInformers, run: Run, now: Date): boolean {
  return familyOf(informers, run).some((session) => isAtWork(informers, session, now) && !isHeld(session, run, now));
}

/** A session of the Run's own had its first prompt, which may be deleted, while the Run went on. */
function isAtWork(informers: FamilyInformers, session: Session, now: Date): boolean {
  const { isWorking, awaitsPromptUntilMs } = sessionWork(informers, session, now);
  return isWorking && (awaitsPromptUntilMs === undefined || parentReference(session) !== undefined);
}

function isHeld(session: Session, { status }: Run, now: Date): boolean {
  if (isQueued(session)) return !(now.getTime() < Date.parse(status?.completionTime ?? "") + queuedMs);
  // Only a person makes it go on.
  const ready = findCondition(session.status?.conditions, conditionTypes.ready);
  return ready?.reason === reasons.costLimitReached;
}
