import type { Session } from "../../api/v1alpha1/session.ts";
import { firstCharacters } from "../../lib/characters.ts";
import type { Caller } from "./callers.ts";

/** On whose behalf the gateway writes: a person or program that called the REST API, or a session whose agent asked. */
export type Requester = { kind: "person"; caller: Caller } | { kind: "session"; session: Session };

/** A request of a use-case; `signal` ends it early. */
export interface Requested {
  requester: Requester;
  signal: AbortSignal;
}

/** User names have no limit of their own. */
const shownCharacters = 256;

/** The requester's name in Events, logs and annotations, at most 256 characters. */
export function requesterName(requester: Requester): string {
  if (requester.kind === "person") return firstCharacters(requester.caller.username, shownCharacters);
  const { namespace = "", name = "" } = requester.session.metadata;
  return firstCharacters(`session ${namespace}/${name}`, shownCharacters);
}
