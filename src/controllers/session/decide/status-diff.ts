import { labels } from "../../../api/v1alpha1/names.ts";
import type { Session, SessionStatus } from "../../../api/v1alpha1/session.ts";
import { jsonEqual } from "../../../lib/json-equal.ts";

/** How much a change of status matters: `fact` others act on, `shown` only people read it. */
export type Change = "none" | "shown" | "fact";

/** Judges what writing `next` over the stored status would change. */
export function changeOf(session: Session, next: SessionStatus): Change {
  const stored: SessionStatus = session.status ?? {};
  if (!jsonEqual(factsOf(stored), factsOf(withoutFirst(session, next)))) return "fact";
  return jsonEqual(shownOf(stored), shownOf(next)) ? "none" : "shown";
}

/** What gateway, Run controller and clocks go by. */
function factsOf({
  conditions: _,
  observedGeneration: __,
  nextDeadline: ___,
  sandbox,
  ...rest
}: SessionStatus): object {
  return { ...rest, sandbox: sandbox && { ...sandbox, connectTime: undefined } };
}

/** Messages alone are not worth a write: the kubelet words one failure in several ways by turns. */
function shownOf({ conditions = [], observedGeneration, nextDeadline }: SessionStatus): object {
  return {
    said: conditions.map(({ type, status, reason }) => [type, status, reason]),
    observedGeneration,
    nextDeadline,
  };
}

/** The first prompt of a session needs no admission of its own: its dispatch says enough. */
function withoutFirst(session: Session, next: SessionStatus): SessionStatus {
  const { status = {}, metadata } = session;
  const isFirst = status.queue === undefined && next.queue?.length === 1 && (status.promptsEnded ?? 0) === 0;
  const isUndispatched = next.currentPrompt === undefined && metadata.labels?.[labels.runUid] !== undefined;
  return isFirst && isUndispatched ? { ...next, queue: undefined } : next;
}
