import type { Reason } from "../../api/v1alpha1/index.ts";
import type { EventRecorder } from "../../kube/event-recorder.ts";
import { firstCharacters } from "../../lib/characters.ts";
import type { KubeObject } from "../../lib/resource.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { Caller } from "./callers.ts";

/** User names have no limit of their own. */
const shownCharacters = 256;

/** Says who asked for what we write in our own name: as an Event for the tenant, in the log for the operator. */
export class Audit {
  readonly #events: Pick<EventRecorder, "record">;
  readonly #logger: Logger;

  constructor(deps: { events: Pick<EventRecorder, "record">; logger: Logger }) {
    this.#events = deps.events;
    this.#logger = deps.logger;
  }

  /** `about` is as the API server answered it; `did` reads on from the name: `paused it`. */
  note(caller: Caller, about: KubeObject, { reason, did }: { reason: Reason; did: string }): void {
    const { apiVersion = "", kind = "", metadata } = about;
    const { namespace, name = "", uid } = metadata;
    const user = shownUser(caller);
    this.#logger.info({ user, reason, kind, namespace, name, uid }, "Wrote for a person");
    this.#events.record({
      regarding: { apiVersion, kind, namespace, name, uid },
      type: "Normal",
      reason,
      note: `${user} ${did}`,
    });
  }
}

export function shownUser({ username }: Caller): string {
  return firstCharacters(username, shownCharacters);
}
