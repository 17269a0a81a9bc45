import { KubeConfig } from "@kubernetes/client-node";
import { Registry } from "prom-client";

import { runControllers } from "../../src/controllers/run-controllers.ts";
import { startGateway } from "../../src/gateway/start-gateway.ts";
import { runIngress } from "../../src/ingress/run-ingress.ts";
import { accessFrom } from "../../src/kube/access.ts";
import { KubeClient } from "../../src/kube/client.ts";
import type { WatchEvent } from "../../src/kube/watch-events.ts";
import type { WatchOptions, WatchSink } from "../../src/kube/watch-stream.ts";
import { HttpTransport } from "../../src/kube/http-transport.ts";
import { systemRandom } from "../../src/lib/random.ts";
import type { KubeObject, Resource } from "../../src/lib/resource.ts";
import { defineKubeMetrics } from "../../src/telemetry/kube-metrics.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import { openDirectoryStore } from "../support/directory-store.ts";
import { type FaultProxy } from "../support/fault-proxy.ts";
import { CountingClock } from "./counting-clock.ts";

export type ProcessName = "controller" | "ingress" | "gateway";

/** An event of a watch that a process never gets to know, to see that this is found. */
export type Misses = (process: ProcessName, plural: string, event: Pick<WatchEvent<KubeObject>, "type">) => boolean;

export interface ProcessPlace {
  proxy: FaultProxy;
  /** Under which it works. */
  user: string;
  release: {
    name: string;
    namespace: string;
    keysNamespace: string;
    sessionsNamespace: string;
    tokensNamespace: string;
  };
  ports: Record<"sandbox" | "people" | "ingress", number>;
  /** For blobs. */
  directory: string;
  misses?: Misses | undefined;
}

/** One of the operator's processes, inside the test's own. */
export interface InnerProcess {
  readonly clock: CountingClock;
  /** Objects that a fresh list showed otherwise than a cache, by resource. */
  readonly drifted: ReadonlyMap<string, number>;
  notReadyBecause(): string | undefined;
  /** Resolves where it must end by itself. */
  readonly ended: Promise<unknown>;
  close(): Promise<void>;
}

/** What all of them are started with. */
function commonParts(name: ProcessName, place: ProcessPlace) {
  const clock = new CountingClock();
  const registry = new Registry();
  const drifted = new Map<string, number>();
  const metrics = {
    ...defineKubeMetrics(registry),
    drifted: (resource: string, objects: number): void =>
      void drifted.set(resource, (drifted.get(resource) ?? 0) + objects),
  };
  const logger = createLogger({ process: name, level: "silent" });
  const parts = { clock, registry, metrics, logger, random: systemRandom, release: place.release };
  return { parts: { ...parts, podName: `${name}-0` }, drifted };
}

/** Connections to the API server through the proxy; a request that has no end keeps `close` from resolving. */
function connect(
  name: ProcessName,
  { proxy, user, misses = () => false }: ProcessPlace,
  clock: CountingClock,
  size: number,
) {
  const config = new KubeConfig();
  config.loadFromString(proxy.kubeconfig(user));
  const transport = new HttpTransport({ access: accessFrom(config), clock, size });
  const client = new ForgetfulClient({ transport, clock, fieldManager: `runwright-${name}` }, (plural, event) =>
    misses(name, plural, event),
  );
  return { client, close: () => transport.close() };
}

type MissesEvent = (plural: string, event: Pick<WatchEvent<KubeObject>, "type">) => boolean;

class ForgetfulClient extends KubeClient {
  readonly #misses: MissesEvent;

  constructor(options: ConstructorParameters<typeof KubeClient>[0], misses: MissesEvent) {
    super(options);
    this.#misses = misses;
  }

  override watch<T extends KubeObject>(
    resource: Resource<T>,
    options: WatchOptions,
    sink: WatchSink<T>,
  ): Promise<void> {
    return super.watch(resource, options, (event) => {
      if (!this.#misses(resource.plural, event)) sink(event);
    });
  }
}

const starters: Record<ProcessName, (place: ProcessPlace) => Promise<InnerProcess>> = {
  controller(place) {
    const { parts, drifted } = commonParts("controller", place);
    const connection = connect("controller", place, parts.clock, 32);
    const running = runControllers({
      ...parts,
      client: connection.client,
      electionConnection: connect("controller", place, parts.clock, 2),
      operator: { settings: {}, executionTimeoutMs: 600_000 },
      tunnels: { peopleUrl: "https://gateway.invalid", waitSeconds: 30 },
      github: { apiURLs: [] },
      bootTimeoutMs: 300_000,
      sandboxImage: "sandbox:1",
      gatewayUrl: `wss://localhost:${place.ports.sandbox}`,
      egressExceptCIDRs: [],
      sandboxPort: place.ports.sandbox,
    });
    const close = (): Promise<void> => running.close().then(() => connection.close());
    const { ended } = running;
    return Promise.resolve({
      clock: parts.clock,
      drifted,
      ended,
      close,
      notReadyBecause: () => running.notReadyBecause(),
    });
  },
  async gateway(place) {
    const { parts, drifted } = commonParts("gateway", place);
    const connection = connect("gateway", place, parts.clock, 16);
    const gateway = await startGateway({
      ...parts,
      client: connection.client,
      blobs: await openDirectoryStore(place.directory),
      blobBudgets: {},
      sandboxPort: place.ports.sandbox,
      peoplePort: place.ports.people,
      deliveryBaseUrl: "https://hooks.example.com",
      limits: { connectionsPerAddress: 256, streamsPerNamespace: 512, peopleConnectionsPerAddress: 1_024 },
      github: { apiURLs: [] },
      tunnelRequestHeaders: [],
    });
    const close = (): Promise<void> => gateway.close().then(() => connection.close());
    return { clock: parts.clock, drifted, ended: endless, close, notReadyBecause: () => gateway.notReadyBecause() };
  },
  async ingress(place) {
    const { parts, drifted } = commonParts("ingress", place);
    const connection = connect("ingress", place, parts.clock, 44);
    const { client } = connection;
    const port = place.ports.ingress;
    const ingress = await runIngress({ ...parts, client, port, watchNamespaces: [], hasConnector: false });
    const close = (): Promise<void> => ingress.close().then(() => connection.close());
    return { clock: parts.clock, drifted, ended: endless, close, notReadyBecause: () => ingress.notReadyBecause() };
  },
};

const endless = new Promise<never>(() => undefined);

/** Starts one; it may not be ready yet. */
export function startProcess(name: ProcessName, place: ProcessPlace): Promise<InnerProcess> {
  return starters[name](place);
}
