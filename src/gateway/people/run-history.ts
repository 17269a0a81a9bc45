import { type Automation, labels, Run } from "../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../kube/client.ts";
import { ApiError } from "./errors.ts";

/** Runs of a page of the API server's: each may carry 64 KB of payload until it is dropped here. */
const pageSize = 100;
/** Reads at once: an automation may have thousands of Runs. */
const mostReads = 4;

/** Reads the Runs of automations live. */
export class RunHistory {
  readonly #client: Pick<KubeClient, "list">;
  #underWay = 0;

  constructor(client: Pick<KubeClient, "list">) {
    this.#client = client;
  }

  /** All Runs of an automation, in no order and without what their senders sent. @throws ApiError `Busy` */
  async of({ metadata }: Automation, signal: AbortSignal): Promise<Run[]> {
    if (this.#underWay >= mostReads) throw new ApiError("Busy", "too many histories are read at once; try again");
    this.#underWay += 1;
    try {
      const { namespace, uid = "" } = metadata;
      const labelSelector = `${labels.automationUid}=${uid}`;
      const { items } = await this.#client.list<Run>(Run, {
        namespace,
        labelSelector,
        limit: pageSize,
        signal,
        transform: withoutPayload,
      });
      return items;
    } finally {
      this.#underWay -= 1;
    }
  }
}

function withoutPayload(run: Run): Run {
  const { trigger } = run.spec;
  delete trigger.payload;
  delete trigger.idempotencyKey;
  return run;
}
