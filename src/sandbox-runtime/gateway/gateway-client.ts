import { readFile } from "node:fs/promises";
import {
  protocolVersion,
  type GatewayMessage,
  type PromptReference,
  type RuntimeMessage,
} from "../../api/runtime/messages.ts";
import type { RefusedFromAgent } from "../../api/runtime/refused-from-agent.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import { errorCode, type RuntimeLog } from "../log.ts";
import { sleep } from "../../lib/sleep.ts";
import { GatewaySocket, type SocketEnd } from "./gateway-socket.ts";
import { Outbox, type Unnumbered } from "./outbox.ts";
import { reconnectDelayMs } from "./reconnect.ts";

interface Deps {
  log: RuntimeLog;
  clock: Clock;
  random: Pick<Random, "fraction">;
  /** Whole URL of this attempt. */
  url: string;
  /** Replaced by the kubelet as time goes by, so read before each connection. */
  tokenFile: string;
  /** Holds the old and the new authority while they change, so read before each connection. */
  caFile: string;
}

/** What the runtime makes of the gateway's words. */
export interface GatewayHandlers {
  /** What to say of itself at the begin of each connection. */
  hello: () => { needsBundle: boolean; isReady: boolean; openPrompts: readonly PromptReference[] };
  /** What to report as refused with the next heartbeat. */
  refused: () => RefusedFromAgent | undefined;
  heard: (message: Exclude<GatewayMessage, { type: "welcome" | "ack" }>) => void;
}

/**
 * The runtime's line to the gateway: always connected or trying to be, and nothing numbered is lost on the way. Each
 * connection reads token and authorities anew.
 */
export class GatewayClient {
  readonly #deps: Deps;
  readonly #outbox: Outbox;
  #socket: GatewaySocket | undefined;
  #isWelcome = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#outbox = new Outbox(deps.clock.monotonicMs());
  }

  /** Sends a numbered message now and again until it is acknowledged. */
  report(message: Unnumbered): void {
    const numbered = this.#outbox.add(message, this.#deps.clock.monotonicMs());
    if (numbered && this.#isWelcome) this.#socket?.send(numbered);
  }

  /** Says something that only this connection is about; nothing when there is none. */
  send(message: Extract<RuntimeMessage, { type: "restore" }>): void {
    if (this.#isWelcome) this.#socket?.send(message);
  }

  /** How many events found no place. */
  get dropped(): number {
    return this.#outbox.dropped;
  }

  /** Resolves when the attempt is over or the signal ends it. */
  async run(handlers: GatewayHandlers, signal: AbortSignal): Promise<void> {
    const { log, random } = this.#deps;
    signal.addEventListener("abort", () => this.#socket?.close(), { once: true });
    const isOver = (): boolean => signal.aborted;
    for (let failures = 0; !isOver();) {
      const { end, welcomed } = await this.#connectOnce(handlers, isOver);
      if (end.over) {
        log.info("The gateway says that this attempt is over");
        return;
      }
      failures = welcomed ? 0 : failures + 1;
      if (isOver()) return;
      log.info("Disconnected", { status: end.status, code: end.code, failures });
      await sleep(this.#deps.clock, reconnectDelayMs(failures, random.fraction()), signal);
    }
  }

  async #connectOnce(handlers: GatewayHandlers, isOver: () => boolean): Promise<{ end: SocketEnd; welcomed: boolean }> {
    const { url, tokenFile, caFile, clock, log } = this.#deps;
    try {
      const [token, ca] = await Promise.all([readFile(tokenFile, "utf8"), readFile(caFile, "utf8")]);
      if (isOver()) return { end: { over: false }, welcomed: false };
      const socket = new GatewaySocket(
        { url, token: token.trim(), ca, clock },
        {
          opened: () => this.#greet(socket, handlers),
          refused: () => handlers.refused(),
          heard: (message) => this.#hear(socket, message, handlers),
        },
      );
      this.#socket = socket;
      const end = await socket.ended;
      return { end, welcomed: this.#isWelcome };
    } catch (error) {
      // The files may be about to appear or be replaced.
      log.warn("Could not begin to connect", { code: errorCode(error) });
      return { end: { over: false }, welcomed: false };
    } finally {
      this.#isWelcome = false;
    }
  }

  #greet(socket: GatewaySocket, handlers: GatewayHandlers): void {
    const { needsBundle, isReady, openPrompts } = handlers.hello();
    socket.send({
      type: "hello",
      protocol: protocolVersion,
      needsBundle,
      isReady,
      openPrompts: openPrompts.slice(-64),
    });
  }

  #hear(socket: GatewaySocket, message: GatewayMessage, handlers: GatewayHandlers): void {
    if (message.type === "ack") {
      this.#outbox.acknowledge(message.seq);
    } else if (message.type === "welcome") {
      this.#deps.log.info("Connected to the gateway");
      this.#outbox.acknowledge(message.acknowledged);
      this.#isWelcome = true;
      for (const waiting of this.#outbox.waiting) socket.send(waiting);
    } else {
      handlers.heard(message);
    }
  }
}
