import type { KubeClient } from "../../kube/client.ts";
import type { ListOptions, ListShape } from "../../kube/client-options.ts";
import type { KubeObject, Resource } from "../../lib/resource.ts";
import { ApiError } from "./errors.ts";
import { FairShares } from "./fair-shares.ts";

/** Concurrent reads, of which a namespace may have as many as are free. */
const mostReads = 8;

/** Reads long lists of a namespace from the API server, few at once: each may have thousands of objects. */
export class LongLists {
  readonly #client: Pick<KubeClient, "list">;
  readonly #shares: FairShares;

  constructor(client: Pick<KubeClient, "list">, refused: () => void) {
    this.#client = client;
    this.#shares = new FairShares({ places: mostReads, refused });
  }

  /** @throws ApiError `Busy` */
  async read<T extends KubeObject>(resource: Resource<T>, options: ListOptions & ListShape<T>): Promise<T[]> {
    const { namespace = "" } = options;
    const busy = (): Error =>
      new ApiError("Busy", `too many lists of namespace ${namespace} are read at once; try again`);
    const { items } = await this.#shares.run(namespace, () => this.#client.list<T>(resource, options), busy);
    return items;
  }
}
