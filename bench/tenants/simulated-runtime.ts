import type { WebSocket } from "ws";

import { protocolTimes } from "../../src/api/runtime/limits.ts";
import type { GatewayMessage, StreamUse } from "../../src/api/runtime/messages.ts";

/** Whose runtime it is, and a token of its pod. */
export interface Identity {
  sessionUid: string;
  attempt: number;
  token: string;
}

interface Observer {
  /** It has booted. */
  ready: () => void;
  /** The gateway sent a prompt, which is answered at once. */
  prompted: () => void;
  openStream: (stream: string, use: StreamUse) => void;
  /** The connection has ended without a shutdown. */
  closed: () => void;
}

/** A runtime that has booted and whose agent answers each prompt at once. */
export class SimulatedRuntime {
  readonly identity: Identity;
  readonly #socket: WebSocket;
  readonly #observer: Observer;
  /** What waits until messages up to a number are stored. */
  readonly #waiting = new Map<number, () => void>();
  #seq = 0;
  #isOver = false;

  constructor(identity: Identity, socket: WebSocket, observer: Observer) {
    this.identity = identity;
    this.#socket = socket;
    this.#observer = observer;
    socket.on("open", () => this.#say({ type: "hello", protocol: 1, needsBundle: true, openPrompts: [] }));
    socket.on("message", (data: Buffer) => this.#hear(JSON.parse(data.toString("utf8")) as GatewayMessage));
    const beats = setInterval(() => this.#say({ type: "heartbeat" }), protocolTimes.heartbeatMs);
    socket.on("close", () => {
      clearInterval(beats);
      if (!this.#isOver) observer.closed();
    });
  }

  /** Sends output of the agent; resolves when the gateway says that it is stored. */
  output(text: string): Promise<void> {
    const event = { kind: "output", source: "agent", stream: "stdout", text };
    const seq = this.#sayNumbered({ type: "event", event });
    return new Promise((resolve) => this.#waiting.set(seq, resolve));
  }

  ping(): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
  }

  #hear(message: GatewayMessage): void {
    if (message.type === "bundle") {
      this.#sayNumbered({ type: "ready" });
      this.#observer.ready();
    } else if (message.type === "ack") this.#acknowledged(message.seq);
    else if (message.type === "openStream") this.#observer.openStream(message.stream, message.use);
    else if (message.type === "prompt") {
      this.#observer.prompted();
      this.#sayNumbered({ type: "promptFinished", outcome: { prompt: message.prompt, verdict: "succeeded" } });
    } else if (message.type === "shutdown") {
      this.#isOver = true;
      this.#socket.close();
    }
  }

  #acknowledged(upTo: number): void {
    for (const [seq, stored] of this.#waiting) {
      if (seq > upTo) continue;
      this.#waiting.delete(seq);
      stored();
    }
  }

  #sayNumbered(message: object): number {
    this.#seq += 1;
    this.#say({ ...message, seq: this.#seq });
    return this.#seq;
  }

  #say(message: object): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}
