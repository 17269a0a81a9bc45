import type { Session } from "../../api/v1alpha1/session.ts";
import type { SessionFacts } from "./facts.ts";

/** The facts after the session was stored as decided: what the status has taken in counts no more beside it. */
export function afterStoring(facts: SessionFacts, session: Session): SessionFacts {
  const { sandbox } = session.status ?? {};
  const stored: SessionFacts = {
    ...facts,
    session,
    start: sandbox?.attempt === facts.start?.attempt ? undefined : facts.start,
    obstacle: facts.obstacle?.kind === "rejected" ? undefined : facts.obstacle,
  };
  // What the runtime of an attempt that is over said must not be heard as its successor's.
  return sandbox?.endTime === undefined
    ? stored
    : { ...stored, lease: undefined, volumeSnapshot: undefined, isSilent: false };
}
