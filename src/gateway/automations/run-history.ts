import { type Automation, labels, Run } from "../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Reads } from "../http/reads.ts";

/** Runs per page of the API server: each may have 64 KB of payload, which is dropped as it is read. */
const pageSize = 100;

/** Reads the Runs of automations from the API server. */
export class RunHistory {
  readonly #deps: { client: Pick<KubeClient, "list">; reads: Reads };

  constructor(deps: { client: Pick<KubeClient, "list">; reads: Reads }) {
    this.#deps = deps;
  }

  /** All Runs of an automation, unordered and without payloads and idempotency keys. @throws ApiError `Busy` */
  of({ metadata }: Automation, signal: AbortSignal): Promise<Run[]> {
    const { client, reads } = this.#deps;
    return reads.run(async () => {
      const { namespace, uid = "" } = metadata;
      const labelSelector = `${labels.automationUid}=${uid}`;
      const { items } = await client.list<Run>(Run, {
        namespace,
        labelSelector,
        limit: pageSize,
        signal,
        transform: withoutPayload,
      });
      return items;
    });
  }
}

function withoutPayload(run: Run): Run {
  const { trigger } = run.spec;
  delete trigger.payload;
  delete trigger.idempotencyKey;
  return run;
}
