import { WebSocket } from "ws";

import type { GatewayMessage } from "../../src/api/runtime/messages.ts";
import { sandboxPath, waitingPath } from "../../src/api/runtime/pod-contract.ts";
import { eventually, type SandboxFixture, type World } from "./runtime-world.ts";

/** A runtime that says what the test wants, also what no real one would. */
export class RuntimePeer {
  /** All messages so far that were not taken by {@link next}, and those that were. */
  readonly heard: GatewayMessage[] = [];
  /** The close code. */
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  #taken = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data: Buffer) => this.heard.push(JSON.parse(data.toString("utf8")) as GatewayMessage));
    this.closed = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => undefined);
  }

  /** Connects as soon as the gateway lets the sandbox's pod in. */
  static async connect(world: World, gateway: { sandboxUrl: string }, sandbox: SandboxFixture): Promise<RuntimePeer> {
    const path = sandboxPath(sandbox.sessionUid, sandbox.attempt);
    return RuntimePeer.#open(world, gateway.sandboxUrl + path, await sandbox.token());
  }

  /** Connects as a pod of a pool that waits for a session. */
  static wait(
    world: World,
    gateway: { sandboxUrl: string },
    pod: { uid: string; token: string },
  ): Promise<RuntimePeer> {
    return RuntimePeer.#open(world, gateway.sandboxUrl + waitingPath(pod.uid), pod.token);
  }

  static #open(world: World, url: string, token: string): Promise<RuntimePeer> {
    return eventually("the gateway lets the pod in", async () => {
      const socket = new WebSocket(url, { ca: world.ca, headers: { authorization: `Bearer ${token}` } });
      const peer = new RuntimePeer(socket);
      const isOpen = await new Promise<boolean>((resolve) => {
        socket.once("open", () => resolve(true));
        socket.once("error", () => resolve(false));
      });
      return isOpen ? peer : undefined;
    });
  }

  /** Connects and says hello as a runtime that has its bundle. */
  static async welcome(
    world: World,
    gateway: { sandboxUrl: string },
    sandbox: SandboxFixture,
    connection?: number,
  ): Promise<RuntimePeer> {
    const peer = await RuntimePeer.connect(world, gateway, sandbox);
    peer.send({ type: "hello", protocol: 1, needsBundle: false, openPrompts: [], connection });
    await peer.next("welcome");
    return peer;
  }

  /** The highest number that was acknowledged. */
  get acknowledged(): number {
    return Math.max(0, ...this.heard.map((message) => (message.type === "ack" ? message.seq : 0)));
  }

  /** The next message of this type after those that were asked for before. */
  next<T extends GatewayMessage["type"]>(type: T): Promise<Extract<GatewayMessage, { type: T }>> {
    return eventually(`a message ${type}`, () => {
      const index = this.heard.findIndex((message, at) => at >= this.#taken && message.type === type);
      if (index < 0) return undefined;
      this.#taken = index + 1;
      return this.heard[index] as Extract<GatewayMessage, { type: T }>;
    });
  }

  send(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  sendRaw(frame: string | Buffer | object): void {
    const isRaw = typeof frame === "string" || Buffer.isBuffer(frame);
    this.#socket.send(isRaw ? frame : JSON.stringify(frame));
  }

  /** Sends one message in parts, which runtimes do not. */
  sendInParts(...parts: readonly string[]): void {
    for (const [at, part] of parts.entries()) this.#socket.send(part, { fin: at === parts.length - 1 });
  }

  pingOften(times: number): void {
    for (let sent = 0; sent < times; sent += 1) this.#socket.ping();
  }

  close(): void {
    this.#socket.terminate();
  }
}

/** What an upgrade is answered; 101 when it succeeds, after which the connection is closed. */
export function tryUpgrade(
  url: string,
  ca: string,
  token: string | undefined,
): Promise<{ status: number; body: unknown }> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const socket = new WebSocket(url, { ca, headers });
  return new Promise((resolve, reject) => {
    socket.once("open", () => {
      socket.terminate();
      resolve({ status: 101, body: {} });
    });
    socket.once("unexpected-response", (_request, response) => {
      response.setEncoding("utf8");
      let text = "";
      response.on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as unknown }));
    });
    socket.once("error", reject);
  });
}
