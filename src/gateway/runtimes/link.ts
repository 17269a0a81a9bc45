import type { RawData, WebSocket } from "ws";
import type { FrameBudget } from "../../api/runtime/frame-budget.ts";
import { closeCodes, protocolLimits, protocolTimes } from "../../api/runtime/limits.ts";
import type { GatewayMessage } from "../../api/runtime/messages.ts";
import type { Clock, Timer } from "../../lib/clock.ts";
import type { GatewayMetrics } from "../metrics/gateway-metrics.ts";
import type { RefusalReason } from "../metrics/refusals.ts";
import { priceOf } from "./frame-price.ts";
import { type ReadMessage, readMessage } from "./read-message.ts";
import { UnreadFrames } from "./unread-frames.ts";

export type CloseCause = keyof typeof closeCodes;

type Receive = (read: ReadMessage) => void;

interface LinkDeps {
  clock: Clock;
  metrics: GatewayMetrics;
  /** Of this connection and of those before it. */
  frames: Pick<FrameBudget, "take">;
}

/** What a connection may send without its frames: a hello, also with many open prompts. Each connection is counted besides. */
const framesOfHello = 2;
/** Bytes of a frame that comes after the end and counts as one, as the longest output of an agent does; a longer one counts as several. */
const bytesOfLate = 16_384;

/**
 * The WebSocket of one runtime: parses messages, limits their rate by what they cost, detects a peer that does not answer, and closes with
 * the code that tells the runtime what to do.
 */
export class Link {
  /** Aborts when no more messages are received or sent. */
  readonly ended: AbortSignal;
  readonly #ended = new AbortController();
  readonly #socket: WebSocket;
  readonly #deps: LinkDeps;
  #free = framesOfHello;
  /** Frames that are read after the end: what was on its way, and the peer's answer behind it. */
  #late: number = protocolLimits.unacknowledged;
  readonly #timers = new Map<string, Timer>();
  readonly #unread = new UnreadFrames(() => this.close("flooding"));

  constructor(socket: WebSocket, deps: LinkDeps, receive: Receive) {
    this.#socket = socket;
    this.#deps = deps;
    this.ended = this.#ended.signal;
    socket.on("message", (data, isBinary) => this.#take(data, isBinary, receive));
    socket.on("ping", (data) => this.#answerPing(data));
    socket.on("pong", () => {
      this.cancel("pong");
      this.#pay();
    });
    // ws closes by itself after a frame that is too large, not UTF-8 or malformed.
    socket.on("error", (error) => {
      deps.metrics.closes.inc({ cause: "protocol" });
      deps.metrics.refusals.inc({ reason: reasonOf(error) });
      this.#terminateAfter(protocolTimes.refusedMs);
    });
    socket.once("close", () => this.#end());
    this.after("hello", protocolTimes.helloMs, () => this.close("silent"));
    this.after("ping", protocolTimes.pingMs, () => this.#ping());
  }

  send(message: GatewayMessage): void {
    if (this.#isOpen) this.#socket.send(JSON.stringify(message), this.#unread.begin());
  }

  /** Closes the connection; the socket is destroyed if the peer does not answer the close frame. */
  close(cause: CloseCause): void {
    if (this.ended.aborted) return;
    this.#deps.metrics.closes.inc({ cause });
    const reason = refusalReasonOf[cause];
    if (reason) this.#deps.metrics.refusals.inc({ reason });
    this.#socket.close(closeCodes[cause], cause);
    // What comes of one that broke a rule is not read: to unmask it costs more than to send it.
    if (reason) this.#socket.pause();
    this.#terminateAfter(reason ? protocolTimes.refusedMs : protocolTimes.pongMs);
    this.#end();
  }

  /** Calls `run` later unless the connection has ended; a second call with the same name replaces the first. */
  after(name: string, delayMs: number, run: () => void): void {
    this.cancel(name);
    if (!this.ended.aborted) this.#timers.set(name, this.#deps.clock.setTimeout(run, delayMs));
  }

  cancel(name: string): void {
    this.#timers.get(name)?.cancel();
  }

  #take(data: RawData, isBinary: boolean, receive: Receive): void {
    // ws gives a message as one Buffer by default.
    const bytes = data as Buffer;
    if (this.ended.aborted) {
      this.#takeLate(bytes.length);
      return;
    }
    const text = isBinary ? "" : bytes.toString("utf8");
    const free = this.#free;
    this.#free = 0;
    if (!this.#pay(Math.max(0, priceOf(text) - free))) return;
    const read = readMessage(text);
    if (read) receive(read);
    else this.close("malformed");
  }

  #answerPing(data: Buffer): void {
    if (this.#pay() && this.#isOpen) this.#socket.pong(data, false, this.#unread.begin());
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Whether a frame of the peer is still within its budget. */
  #pay(frames = 1): boolean {
    if (this.ended.aborted) {
      this.#takeLate(0);
      return false;
    }
    if (this.#deps.frames.take(this.#deps.clock.monotonicMs(), frames)) return true;
    this.close("flooding");
    return false;
  }

  #takeLate(bytes: number): void {
    this.#late -= Math.max(1, bytes / bytesOfLate);
    if (this.#late < 0) this.#socket.pause();
  }

  #terminateAfter(patienceMs: number): void {
    const timer = this.#deps.clock.setTimeout(() => this.#socket.terminate(), patienceMs);
    this.#socket.once("close", () => timer.cancel());
  }

  #ping(): void {
    this.#socket.ping();
    this.after("pong", protocolTimes.pongMs, () => this.close("silent"));
    this.after("ping", protocolTimes.pingMs, () => this.#ping());
  }

  #end(): void {
    this.#ended.abort();
    for (const timer of this.#timers.values()) timer.cancel();
  }
}

/** Reasons of closes that the runtime caused. */
const refusalReasonOf: Partial<Record<CloseCause, RefusalReason>> = { malformed: "Malformed", flooding: "Flooding" };

function reasonOf(error: Error): RefusalReason {
  if (!("code" in error)) return "Malformed";
  if (error.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH") return "TooLarge";
  return error.code === "WS_ERR_TOO_MANY_BUFFERED_PARTS" ? "Flooding" : "Malformed";
}
