import { setTimeout as delay } from "node:timers/promises";

import { WebSocket } from "ws";

import { protocolTimes } from "../../src/api/runtime/limits.ts";
import type { GatewayMessage, PromptReference } from "../../src/api/runtime/messages.ts";
import { sandboxPath, waitingPath } from "../../src/api/runtime/pod-contract.ts";
import { gatewayTlsSecretName, labels, SandboxPool } from "../../src/api/v1alpha1/index.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { type Pod, pods, secrets } from "../../src/kube/core-resources.ts";
import { Informer } from "../../src/kube/informer.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { keyOf } from "../../src/lib/resource.ts";
import { aRunningPodStatus } from "./builders.ts";
import { podToken } from "./pod-token.ts";

export interface AnsweringSandboxesOptions {
  client: KubeClient;
  /** Its pods are run; they are of the account `runner`. */
  namespace: string;
  release: { name: string; namespace: string; sessionsNamespace: string };
  /** Of the gateway on this machine. */
  sandboxPort: number;
}

/** The kubelet of one namespace, and a runtime in each pod whose agent succeeds as soon as it may. */
export class AnsweringSandboxes {
  readonly #options: AnsweringSandboxesOptions;
  readonly #informer: Informer<Pod>;
  #received = "";
  #mayAnswer: Promise<undefined> = Promise.resolve(undefined);

  constructor(options: AnsweringSandboxesOptions) {
    this.#options = options;
    const { client, namespace } = options;
    this.#informer = new Informer({ client, clock: systemClock, random: systemRandom }, pods, { namespace });
    this.#informer.onChange(({ type, object }) => {
      if (type === "added") void this.#runPod(object).catch(() => undefined);
    });
  }

  start(): void {
    this.#informer.start();
  }

  stop(): Promise<void> {
    return this.#informer.stop();
  }

  /** What the gateway has sent to the runtimes. */
  get received(): string {
    return this.#received;
  }

  /** Has agents work from now on until the function that this returns is called. */
  holdAnswers(): () => void {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#mayAnswer = promise;
    return () => resolve(undefined);
  }

  /** Its containers are reported as running at once, and a runtime connects. */
  async #runPod(pod: Pod): Promise<void> {
    const { client } = this.#options;
    await client.patch(pods, keyOf(pod), { status: aRunningPodStatus() }, { subresource: "status" });
    await this.#beRuntime(pod);
  }

  /** Connects until it is let in, reports ready and answers each prompt; comes back when the connection is cut. */
  async #beRuntime(pod: Pod): Promise<void> {
    const {
      [labels.sessionUid]: uid = "",
      [labels.attempt]: attempt = "",
      [labels.ownerKind]: kind,
    } = pod.metadata.labels ?? {};
    let path: string | undefined = sandboxPath(uid, Number(attempt));
    if (kind === SandboxPool.kind) path = await this.#assignedPath(pod);
    const runtime = new AnsweringRuntime(() => this.#mayAnswer);
    while (path !== undefined && !(await runtime.converse(await this.#dial(pod, path)))) await delay(100);
  }

  /** Waits as the runtime of a pool's pod for the path of its session; undefined: the pod was deleted. */
  async #assignedPath(pod: Pod): Promise<string | undefined> {
    for (;;) {
      if (!(await this.#options.client.find(pods, keyOf(pod)))) return undefined;
      const path = await assignment(await this.#dial(pod, waitingPath(pod.metadata.uid ?? "")));
      if (path !== undefined) return path;
      await delay(100);
    }
  }

  async #dial(pod: Pod, path: string): Promise<WebSocket> {
    const { client, release, sandboxPort } = this.#options;
    const token = await podToken(this.#options, pod);
    const ca = await client.find(secrets, { namespace: release.sessionsNamespace, name: gatewayTlsSecretName });
    const socket = new WebSocket(`wss://localhost:${sandboxPort}${path}`, {
      ca: Buffer.from(ca?.data?.["ca.crt"] ?? "", "base64"),
      headers: { authorization: `Bearer ${token}` },
    });
    socket.on("message", (data: Buffer) => (this.#received += data.toString("utf8")));
    return socket;
  }
}

/** Waits as a runtime of a pool's pod; undefined: the connection ended before the gateway named a session. */
function assignment(socket: WebSocket): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  socket.on("message", (data: Buffer) => {
    const message = JSON.parse(data.toString("utf8")) as GatewayMessage;
    if (message.type === "assigned") resolve(sandboxPath(message.sessionUid, message.attempt));
  });
  socket.on("error", () => resolve(undefined));
  socket.on("close", () => resolve(undefined));
  return promise.finally(() => socket.terminate());
}

/** A runtime whose agent succeeds as soon as it may; it goes on where it was when it is connected again. */
class AnsweringRuntime {
  readonly #mayAnswer: () => Promise<undefined>;
  readonly #startMs = performance.now();
  readonly #known = new Set<string>();
  readonly #open = new Map<string, PromptReference>();
  #unacknowledged: { seq: number }[] = [];
  #seq = 0;
  #isReady = false;
  #isWelcome = false;
  #connections = 0;
  #socket: WebSocket | undefined;

  constructor(mayAnswer: () => Promise<undefined>) {
    this.#mayAnswer = mayAnswer;
  }

  /** Talks until the connection ends; resolves with whether the attempt is over. */
  converse(socket: WebSocket): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#socket = socket;
    this.#isWelcome = false;
    socket.on("open", () => this.#greet());
    socket.on("message", (data: Buffer) => {
      // The gateway under test is trusted to send what its grammar says.
      const message = JSON.parse(data.toString("utf8")) as GatewayMessage;
      this.#receive(message);
      if (message.type === "shutdown") resolve(true);
    });
    socket.on("unexpected-response", (_request, response) => {
      resolve(response.statusCode === 410);
      socket.terminate();
    });
    socket.on("error", () => resolve(false));
    socket.on("close", () => resolve(false));
    const beats = setInterval(() => this.#say({ type: "heartbeat" }), protocolTimes.heartbeatMs);
    return promise.finally(() => {
      clearInterval(beats);
      socket.terminate();
    });
  }

  #greet(): void {
    // As the real runtime does: one that was refused before it was open does not count.
    this.#connections += 1;
    this.#socket?.send(
      JSON.stringify({
        type: "hello",
        protocol: 1,
        needsBundle: !this.#isReady,
        isReady: this.#isReady,
        openPrompts: [...this.#open.values()],
        connection: this.#connections,
        runningMs: Math.round(performance.now() - this.#startMs),
      }),
    );
  }

  #receive(message: GatewayMessage): void {
    if (message.type === "welcome") {
      this.#isWelcome = true;
      this.#forget(message.acknowledged);
      for (const waiting of this.#unacknowledged) this.#say(waiting);
    }
    if (message.type === "ack") this.#forget(message.seq);
    if (message.type === "bundle" && !this.#isReady) {
      this.#isReady = true;
      this.#report({ type: "ready" });
    }
    if (message.type === "prompt" && !this.#known.has(message.prompt.uid)) {
      this.#known.add(message.prompt.uid);
      this.#open.set(message.prompt.uid, message.prompt);
      void this.#answer(message.prompt);
    }
  }

  async #answer(prompt: PromptReference): Promise<void> {
    await this.#mayAnswer();
    this.#open.delete(prompt.uid);
    this.#report({ type: "promptFinished", outcome: { prompt, verdict: "succeeded", summary: "Fixed it" } });
  }

  #report(what: object): void {
    this.#seq += 1;
    const message = { ...what, seq: this.#seq };
    this.#unacknowledged.push(message);
    this.#say(message);
  }

  #say(message: object): void {
    if (this.#isWelcome && this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #forget(seq: number): void {
    this.#unacknowledged = this.#unacknowledged.filter((message) => message.seq > seq);
  }
}
