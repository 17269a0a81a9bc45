import type { SessionStatus } from "../../../api/v1alpha1/session.ts";
import type { SessionFacts } from "../facts.ts";
import { queueOf } from "./queue.ts";

/** The facts once this status is stored: what the status has taken in counts no more beside it. */
export function afterStoring(facts: SessionFacts, status: SessionStatus): SessionFacts {
  const { sandbox } = status;
  const session = { ...facts.session, status };
  const stored: SessionFacts = {
    ...facts,
    session,
    queue: queueOf(session, facts.prompts),
    start: sandbox?.attempt === facts.start?.attempt ? undefined : facts.start,
    obstacle: facts.obstacle?.kind === "rejected" ? undefined : facts.obstacle,
  };
  // What the runtime of an attempt that is over said must not count as its successor's.
  return sandbox?.endTime === undefined
    ? stored
    : { ...stored, lease: undefined, volumeSnapshot: undefined, olderSnapshots: undefined, isSilent: false };
}
