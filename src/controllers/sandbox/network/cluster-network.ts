import type { KubeClient } from "../../../kube/client.ts";
import { endpointSlices, nodes } from "../../../kube/core-resources.ts";
import type { Clock, Timer } from "../../../lib/clock.ts";
import { jsonEqual } from "../../../lib/json-equal.ts";
import { type ClusterFacts, clusterRanges, rangesProblem } from "./cluster-ranges.ts";

/** How often Nodes are read again, in milliseconds. */
const rereadMs = 60_000;

export interface ClusterNetworkDeps {
  client: Pick<KubeClient, "list" | "get">;
  clock: Pick<Clock, "setTimeout">;
  /** Ranges that the operator's settings name. */
  configured: readonly string[];
}

/** What is known of the cluster's own addresses. */
export interface KnownNetwork {
  ranges: readonly string[];
  /** Whether a pod may have users of its own on every Node. */
  hasUserNamespaces: boolean;
  problem?: string | undefined;
}

/** Keeps up with the cluster's own addresses, which sandboxes must not reach as if they were the internet's. */
export class ClusterNetwork {
  readonly #deps: ClusterNetworkDeps;
  readonly #handlers: (() => void)[] = [];
  #known: KnownNetwork = { ranges: [], hasUserNamespaces: false };
  #lastRead: Pick<ClusterFacts, "nodes" | "apiServer"> = { nodes: [], apiServer: { endpoints: [] } };
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(deps: ClusterNetworkDeps) {
    this.#deps = deps;
  }

  get known(): KnownNetwork {
    return this.#known;
  }

  /** Has this called after each change of what is known. */
  onChange(handler: () => void): void {
    this.#handlers.push(handler);
  }

  /** Reads once, then each minute. What cannot be read keeps nothing waiting: {@link known} says so. */
  async start(): Promise<void> {
    await this.#read();
    if (!this.#isStopped) this.#timer = this.#deps.clock.setTimeout(() => void this.start(), rereadMs);
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  async #read(): Promise<void> {
    const { configured } = this.#deps;
    const [listed, apiServer] = await Promise.all([this.#listNodes(), this.#getApiServer()]);
    // What was read before counts while it cannot be read again.
    this.#lastRead = {
      nodes: listed instanceof Error ? this.#lastRead.nodes : listed,
      apiServer: apiServer instanceof Error ? this.#lastRead.apiServer : apiServer,
    };
    const before = this.#known;
    this.#known = {
      ranges: clusterRanges({ ...this.#lastRead, configured }),
      hasUserNamespaces: haveUserNamespaces(this.#lastRead.nodes),
      problem: rangesProblem({ nodes: listed, apiServer, configured }),
    };
    if (jsonEqual(before, this.#known)) return;
    for (const handler of this.#handlers) handler();
  }

  async #listNodes(): Promise<ClusterFacts["nodes"]> {
    try {
      const { items } = await this.#deps.client.list(nodes);
      return items.map(({ spec, status: { addresses = [], runtimeHandlers = [] } = {} }) => {
        return { spec: spec ?? {}, status: { addresses, runtimeHandlers } };
      });
    } catch (error) {
      return asError(error);
    }
  }

  async #getApiServer(): Promise<ClusterFacts["apiServer"]> {
    try {
      return await this.#deps.client.get(endpointSlices, { namespace: "default", name: "kubernetes" });
    } catch (error) {
      return asError(error);
    }
  }
}

/** Whether the usual container runtime of every Node reports user namespaces, with the volumes of pods. */
function haveUserNamespaces(found: ClusterFacts["nodes"]): boolean {
  if (found instanceof Error || found.length === 0) return false;
  return found.every(({ status: { runtimeHandlers = [] } = {} }) =>
    runtimeHandlers.some(({ name = "", features }) => name === "" && features?.userNamespaces === true),
  );
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
