import type { Duplex } from "node:stream";

import { createWebSocketStream, WebSocket } from "ws";

import type { StreamUse } from "../../src/api/runtime/messages.ts";
import { sandboxAudience, sandboxPath, streamPath } from "../../src/api/runtime/pod-contract.ts";
import { labels } from "../../src/api/v1alpha1/index.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { type Pod, pods } from "../../src/kube/core-resources.ts";
import { Informer } from "../../src/kube/informer.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { keyOf } from "../../src/lib/resource.ts";
import { aRunningPodStatus } from "../../test/support/builders.ts";
import { type Identity, SimulatedRuntime } from "./simulated-runtime.ts";
import { issueToken } from "./tenant.ts";

export interface SandboxesOptions {
  client: KubeClient;
  namespace: string;
  release: { namespace: string; sandboxUrl: string; ca: string };
  /** Where the runtimes connect from. */
  localAddress: string;
  /** Whether a runtime connects from this pod; without one it stays as it was created. */
  runs: (pod: Pod) => boolean;
  podSeen?: (pod: Pod) => void;
  /** The gateway sent a prompt, which is answered at once. */
  prompted?: (sessionUid: string) => void;
  /** Joins a stream that the gateway asks for. */
  join?: (use: StreamUse, stream: Duplex) => void;
}

const reconnectMs = 500;

/** Plays kubelet and runtimes of one namespace. */
export class Sandboxes {
  /** Those that are connected and whose session was once prompted, by its UID. */
  readonly runtimes = new Map<string, SimulatedRuntime>();
  readonly #prompted = new Set<string>();
  readonly #options: SandboxesOptions;
  readonly #informer: Informer<Pod>;
  #isStopped = false;
  readonly #sockets = new Set<WebSocket>();

  constructor(options: SandboxesOptions) {
    this.#options = options;
    const { client, namespace } = options;
    this.#informer = new Informer({ client, clock: systemClock, random: systemRandom }, pods, { namespace });
    this.#informer.onChange(({ type, object }) => {
      if (type === "added") this.#added(object);
    });
    this.#informer.start();
  }

  /** How many pods there are. */
  get size(): number {
    return this.#informer.size;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#informer.stop();
    for (const socket of this.#sockets) socket.terminate();
  }

  #added(pod: Pod): void {
    this.#options.podSeen?.(pod);
    // The pod may be gone again.
    if (this.#options.runs(pod)) this.#run(pod).catch(() => undefined);
  }

  async #run(pod: Pod): Promise<void> {
    const { client, namespace, release } = this.#options;
    await client.patch(pods, keyOf(pod), { status: aRunningPodStatus() }, { subresource: "status" });
    const { name = "", uid = "" } = pod.metadata;
    const audiences = [sandboxAudience({ name: "runwright", namespace: release.namespace })];
    const boundObjectRef = { apiVersion: "v1", kind: "Pod", name, uid };
    const token = await issueToken(client, namespace, { audiences, boundObjectRef });
    const { [labels.sessionUid]: sessionUid = "", [labels.attempt]: attempt = "" } = pod.metadata.labels ?? {};
    this.#connect({ sessionUid, attempt: Number(attempt), token });
  }

  #connect(identity: Identity): void {
    const { sessionUid, attempt, token } = identity;
    const dial = (path: string): WebSocket => this.#dial(path, token);
    const runtime = new SimulatedRuntime(identity, dial(sandboxPath(sessionUid, attempt)), {
      ready: () => {
        if (this.#prompted.has(sessionUid)) this.runtimes.set(sessionUid, runtime);
      },
      prompted: () => {
        this.#prompted.add(sessionUid);
        this.runtimes.set(sessionUid, runtime);
        this.#options.prompted?.(sessionUid);
      },
      openStream: (stream, use) => this.#join(dial(streamPath(sessionUid, attempt, stream)), use),
      closed: () => {
        this.runtimes.delete(sessionUid);
        // As a runtime does whose pod the gateway does not know yet.
        if (!this.#isStopped) setTimeout(() => this.#connect(identity), reconnectMs);
      },
    });
  }

  #join(socket: WebSocket, use: StreamUse): void {
    const { join } = this.#options;
    const duplex = createWebSocketStream(socket);
    duplex.on("error", () => socket.terminate());
    socket.on("open", () => join?.(use, duplex));
  }

  #dial(path: string, token: string): WebSocket {
    const { release, localAddress } = this.#options;
    const headers = { authorization: `Bearer ${token}` };
    const options = { ca: release.ca, headers, localAddress, perMessageDeflate: false };
    const socket = new WebSocket(`${release.sandboxUrl}${path}`, options);
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    // What went wrong shows in the close that follows.
    socket.on("error", () => undefined);
    return socket;
  }
}
