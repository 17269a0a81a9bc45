import type { Reason } from "../../api/v1alpha1/index.ts";
import type { EventRecorder } from "../../kube/event-recorder.ts";
import type { KubeObject } from "../../lib/resource.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { type Requester, requesterName } from "./requester.ts";

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
