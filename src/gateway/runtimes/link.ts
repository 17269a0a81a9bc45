import type { RawData, WebSocket } from "ws";
import { FrameBudget } from "../../api/runtime/frame-budget.ts";
import { closeCodes, protocolLimits, protocolTimes } from "../../api/runtime/limits.ts";
import { type GatewayMessage, RuntimeMessage } from "../../api/runtime/messages.ts";
import type { Clock, Timer } from "../../lib/clock.ts";
import type { GatewayMetrics } from "../metrics/gateway-metrics.ts";
import type { RefusalReason } from "../metrics/refusals.ts";

export type CloseCause = keyof typeof closeCodes;

interface LinkDeps {
  clock: Clock;
  metrics: GatewayMetrics;
}

/**
 * The WebSocket of one runtime: lets well-formed messages through at a bounded rate, notices a silent peer, and closes
 * with the code that tells the runtime what to do.
 */
export class Link {
  /** Aborted when nothing more will be heard or sent. */
  readonly ended: AbortSignal;
  readonly #ended = new AbortController();
  readonly #socket: WebSocket;
  readonly #deps: LinkDeps;
  readonly #budget: FrameBudget;
  readonly #timers = new Map<string, Timer>();

  constructor(socket: WebSocket, deps: LinkDeps, hear: (message: RuntimeMessage) => void) {
    this.#socket = socket;
    this.#deps = deps;
    this.ended = this.#ended.signal;
    this.#budget = new FrameBudget(protocolLimits.frames, deps.clock.monotonicMs());
    socket.on("message", (data, isBinary) => this.#take(data, isBinary, hear));
    socket.on("pong", () => this.cancel("pong"));
    // ws closes by itself: the frame was too large, not UTF-8 or no frame at all.
    socket.on("error", (error) => {
      deps.metrics.closes.inc({ cause: "protocol" });
      deps.metrics.refusals.inc({ reason: isTooLarge(error) ? "TooLarge" : "Malformed" });
    });
    socket.once("close", () => this.#end());
    this.after("hello", protocolTimes.helloMs, () => this.close("silent"));
    this.after("ping", protocolTimes.pingMs, () => this.#ping());
  }

  send(message: GatewayMessage): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** Ends the connection; a peer that does not answer the close frame does not hold the socket for long. */
  close(cause: CloseCause): void {
    if (this.ended.aborted) return;
    this.#deps.metrics.closes.inc({ cause });
    const reason = refusals[cause];
    if (reason) this.#deps.metrics.refusals.inc({ reason });
    this.#socket.close(closeCodes[cause], cause);
    const timer = this.#deps.clock.setTimeout(() => this.#socket.terminate(), protocolTimes.pongMs);
    this.#socket.once("close", () => timer.cancel());
    this.#end();
  }

  /** Runs something later unless the connection has ended; a second call of the same name takes the first one's place. */
  after(name: string, delayMs: number, run: () => void): void {
    this.cancel(name);
    if (!this.ended.aborted) this.#timers.set(name, this.#deps.clock.setTimeout(run, delayMs));
  }

  cancel(name: string): void {
    this.#timers.get(name)?.cancel();
  }

  #take(data: RawData, isBinary: boolean, hear: (message: RuntimeMessage) => void): void {
    if (this.ended.aborted) return;
    if (!this.#budget.take(this.#deps.clock.monotonicMs())) {
      this.close("flooding");
      return;
    }
    const message = isBinary ? undefined : parseMessage(data);
    if (message) hear(message);
    else this.close("malformed");
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

/** Causes that are the runtime's fault. */
const refusals: Partial<Record<CloseCause, RefusalReason>> = { malformed: "Malformed", flooding: "Flooding" };

function isTooLarge(error: Error): boolean {
  return "code" in error && error.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH";
}

function parseMessage(data: RawData): RuntimeMessage | undefined {
  try {
    // A message of ws is one Buffer unless it was asked for fragments.
    const json: unknown = JSON.parse((data as Buffer).toString("utf8"));
    return RuntimeMessage.safeParse(json).data;
  } catch {
    return undefined;
  }
}
