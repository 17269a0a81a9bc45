import { setTimeout as delay } from "node:timers/promises";

import { WebSocket } from "ws";

import { protocolTimes } from "../../src/api/runtime/limits.ts";
import { reconnectDelayMs } from "../../src/sandbox-runtime/gateway/reconnect.ts";

export interface RuntimeOptions {
  /** Tells this runtime from the others. */
  name: string;
  /** Whole URL of its attempt. */
  url: string;
  /** Authority of the server, PEM. */
  ca: string;
  token: string;
  /** Where it connects from: sandboxes have an address each, and a server takes only so many connections of one. */
  localAddress: string;
}

export interface RuntimeObserver {
  /** A heartbeat was due at this monotonic instant, in milliseconds, and is sent now. */
  beat(name: string, dueMs: number): void;
  /** The server has taken the last heartbeat: it has answered the ping that followed it. */
  answered(name: string): void;
  /** An upgrade was refused with this status. */
  refused(status: number): void;
}

/** Speaks the runtime's protocol as one that has booted: connects again by the runtime's own rule, beats, does no work. */
export class SimulatedRuntime {
  readonly #options: RuntimeOptions;
  readonly #observer: RuntimeObserver;
  #socket: WebSocket | undefined;
  #isReady = false;
  #isWelcome = false;
  #isStopped = false;
  #beat: NodeJS.Timeout | undefined;

  constructor(options: RuntimeOptions, observer: RuntimeObserver) {
    this.#options = options;
    this.#observer = observer;
  }

  get isWelcome(): boolean {
    return this.#isWelcome;
  }

  /** Connects, and again whenever it is cut off, until it is stopped. */
  async run(): Promise<void> {
    const isOver = (): boolean => this.#isStopped;
    for (let failures = 0; !isOver();) {
      const wasWelcome = await this.#converse();
      failures = wasWelcome ? 0 : failures + 1;
      if (!isOver()) await delay(reconnectDelayMs(failures, Math.random()));
    }
  }

  /** Sends the first heartbeat after a while and then one each 30 s, whatever becomes of the connection. */
  beatAfter(firstMs: number): void {
    const dueMs = performance.now() + firstMs;
    clearTimeout(this.#beat);
    this.#beat = setTimeout(() => this.#sendBeat(dueMs), firstMs);
  }

  restBeating(): void {
    clearTimeout(this.#beat);
  }

  stop(): void {
    this.#isStopped = true;
    this.restBeating();
    this.#socket?.terminate();
  }

  #sendBeat(dueMs: number): void {
    const nextMs = dueMs + protocolTimes.heartbeatMs;
    this.#beat = setTimeout(() => this.#sendBeat(nextMs), nextMs - performance.now());
    if (!this.#isWelcome) return;
    this.#observer.beat(this.#options.name, dueMs);
    this.#say({ type: "heartbeat" });
    // Frames are taken in order, and a server answers pings by itself.
    this.#socket?.ping();
  }

  /** Resolves with whether it was welcome when the connection has ended. */
  #converse(): Promise<boolean> {
    const { url, ca, token, localAddress } = this.#options;
    const headers = { authorization: `Bearer ${token}` };
    const socket = new WebSocket(url, { ca, headers, localAddress, minVersion: "TLSv1.3", perMessageDeflate: false });
    this.#socket = socket;
    socket.on("open", () => {
      this.#say({ type: "hello", protocol: 1, needsBundle: !this.#isReady, isReady: this.#isReady, openPrompts: [] });
    });
    socket.on("message", (data: Buffer) => this.#hear(data.toString("utf8")));
    socket.on("pong", () => this.#observer.answered(this.#options.name));
    // What went wrong shows in the close that follows.
    socket.on("error", () => undefined);
    return new Promise((resolve) => {
      socket.on("unexpected-response", (request, response) => {
        this.#observer.refused(response.statusCode ?? 0);
        request.destroy();
        resolve(false);
      });
      socket.once("close", () => {
        const wasWelcome = this.#isWelcome;
        this.#isWelcome = false;
        resolve(wasWelcome);
      });
    });
  }

  #hear(text: string): void {
    const { type } = JSON.parse(text) as { type: string };
    if (type !== "welcome") return;
    this.#isWelcome = true;
    if (this.#isReady) return;
    this.#isReady = true;
    this.#say({ type: "ready", seq: 1 });
  }

  #say(message: object): void {
    this.#socket?.send(JSON.stringify(message));
  }
}
