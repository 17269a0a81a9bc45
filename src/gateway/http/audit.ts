import type { Reason, Session } from "../../api/v1alpha1/index.ts";
import type { EventRecorder } from "../../kube/event-recorder.ts";
import { firstCharacters } from "../../lib/characters.ts";
import type { KubeObject } from "../../lib/resource.ts";
import type { Logger } from "../../telemetry/logger.ts";
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

/** Records on whose behalf the gateway wrote an object: as an Event for the tenant, in the log for the operator. */
export class Audit {
  readonly #events: Pick<EventRecorder, "record">;
  readonly #logger: Logger;

  constructor(deps: { events: Pick<EventRecorder, "record">; logger: Logger }) {
    this.#events = deps.events;
    this.#logger = deps.logger;
  }

  /** `about` is the object as the API server returned it; `did` continues the requester's name: `paused it`. */
  note(requester: Requester, about: KubeObject, { reason, did }: { reason: Reason; did: string }): void {
    const { apiVersion = "", kind = "", metadata } = about;
    const { namespace, name = "", uid } = metadata;
    const user = requesterName(requester);
    this.#logger.info({ user, reason, kind, namespace, name, uid }, `Wrote for a ${requester.kind}`);
    this.#events.record({
      regarding: { apiVersion, kind, namespace, name, uid },
      type: "Normal",
      reason,
      note: `${user} ${did}`,
    });
  }
}

/** The requester's name in Events, logs and annotations, at most 256 characters. */
export function requesterName(requester: Requester): string {
  if (requester.kind === "person") return firstCharacters(requester.caller.username, shownCharacters);
  const { namespace = "", name = "" } = requester.session.metadata;
  return firstCharacters(`session ${namespace}/${name}`, shownCharacters);
}
