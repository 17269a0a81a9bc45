import type { KubeClient } from "../../kube/client.ts";
import type { ListOptions, ListShape } from "../../kube/client-options.ts";
import type { KubeObject, Resource } from "../../lib/resource.ts";
import { ConcurrencyLimit } from "./concurrency-limit.ts";
import { ApiError } from "./errors.ts";

/** Concurrent reads. */
const mostReads = 4;

/** Reads long lists from the API server, few at once: each may have thousands of objects. */
export class LongLists {
  readonly #client: Pick<KubeClient, "list">;
  readonly #limit = new ConcurrencyLimit(mostReads);

  constructor(client: Pick<KubeClient, "list">) {
    this.#client = client;
  }

  /** @throws ApiError `Busy` */
  async read<T extends KubeObject>(resource: Resource<T>, options: ListOptions & ListShape<T>): Promise<T[]> {
    const busy = (): Error => new ApiError("Busy", "too many lists are read at once; try again");
    const { items } = await this.#limit.run(() => this.#client.list<T>(resource, options), busy);
    return items;
  }
}
