import type { KubeClient } from "../../kube/client.ts";
import type { ListOptions, ListShape } from "../../kube/client-options.ts";
import type { KubeObject, Resource } from "../../lib/resource.ts";
import type { GatewayMetrics } from "../metrics/gateway-metrics.ts";
import { SharedPlaces } from "./shared-places.ts";

/** Reads long lists of a namespace from the API server, few at once: each may have thousands of objects. */
export class LongLists {
  readonly #client: Pick<KubeClient, "list">;
  readonly #places: SharedPlaces;

  constructor(client: Pick<KubeClient, "list">, metrics: Pick<GatewayMetrics, "overShare">) {
    this.#client = client;
    this.#places = new SharedPlaces("lists", { metrics });
  }

  /** @throws ApiError `Busy` */
  async read<T extends KubeObject>(resource: Resource<T>, options: ListOptions & ListShape<T>): Promise<T[]> {
    const { namespace = "" } = options;
    const { items } = await this.#places.run(namespace, () => this.#client.list<T>(resource, options));
    return items;
  }
}
