import { startIngress } from "../../src/ingress/start-ingress.ts";
import { KubeClient } from "../../src/kube/client.ts";
import type { List, ListOptions, ListShape } from "../../src/kube/client-options.ts";
import { HttpTransport } from "../../src/kube/http-transport.ts";
import type { WatchOptions, WatchSink } from "../../src/kube/watch-stream.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import type { KubeObject, Resource } from "../../src/lib/resource.ts";
import { startDeliveryStore } from "../../src/ingress/cluster/delivery-store.ts";
import type { ClusterCredentials } from "../../hack/cluster/cluster.ts";
import { type FaultProxy, startFaultProxy } from "../support/fault-proxy.ts";
import { until } from "../support/kube.ts";

/** Sees one namespace: sequences that run beside each other need not hear of each other's Automations. */
class NamespaceClient extends KubeClient {
  readonly #namespace: string;

  constructor(options: ConstructorParameters<typeof KubeClient>[0], namespace: string) {
    super(options);
    this.#namespace = namespace;
  }

  override list<T extends KubeObject>(
    resource: Resource<T>,
    options: ListOptions & ListShape<T> = {},
  ): Promise<List<T>> {
    return super.list(resource, { ...options, namespace: this.#namespace });
  }

  override watch<T extends KubeObject>(
    resource: Resource<T>,
    options: WatchOptions,
    sink: WatchSink<T>,
  ): Promise<void> {
    return super.watch(resource, { ...options, namespace: this.#namespace }, sink);
  }
}

export interface ReplicaPlace {
  upstream: ClusterCredentials;
  /** Under which it works. */
  user: string;
  clock: Clock;
  namespace: string;
  keysNamespace: string;
}

/** One ingress with a way of its own to the API server, in which faults can be put. */
export interface Replica {
  url: string;
  proxy: FaultProxy;
  close(): Promise<void>;
}

export async function startReplica({
  upstream,
  user,
  clock,
  namespace,
  keysNamespace,
}: ReplicaPlace): Promise<Replica> {
  const proxy = await startFaultProxy(upstream);
  const access = {
    server: proxy.url,
    credentials: () => Promise.resolve({ tls: {}, headers: { "impersonate-user": user } }),
  };
  const transport = new HttpTransport({ access, clock, size: 36 });
  let isOver = false;
  const hooks = {
    beforeWrite: () => {
      if (isOver) throw new Error("a process that has ended writes nothing");
    },
  };
  const client = new NamespaceClient(
    { transport, clock, fieldManager: "runwright-ingress", hooks: [hooks] },
    namespace,
  );
  const store = startDeliveryStore({ client, clock, random: systemRandom, keysNamespace });
  const observer = { answered: () => undefined };
  const { automations, runs, ledger } = store;
  const ingress = await startIngress({ port: 0, automations, runs, ledger, clock, random: systemRandom, observer });
  await until("the replica is ready", () => ingress.notReadyBecause() === undefined);
  return {
    url: `http://127.0.0.1:${ingress.port}`,
    proxy,
    async close() {
      await ingress.close();
      await store.stop();
      isOver = true;
      await transport.close();
      await proxy.close();
    },
  };
}
