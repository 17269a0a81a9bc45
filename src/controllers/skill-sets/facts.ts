import type { Session } from "../../api/v1alpha1/session.ts";

/** Of stored sets, those that no Session names. */
export function unnamedSets<T>(
  sets: ReadonlyMap<string, T>,
  sessions: readonly Pick<Session, "status">[],
): ReadonlyMap<string, T> {
  const named = new Set(sessions.map(({ status }) => status?.skills?.digest));
  return new Map([...sets].filter(([digest]) => !named.has(digest)));
}
