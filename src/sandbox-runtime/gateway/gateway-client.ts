import { protocolLimits } from "../../api/runtime/limits.ts";
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
import { type GatewayAddress, readAccess } from "./ask-gateway.ts";
import { CostReports } from "./cost-reports.ts";
import { GatewaySocket, type SocketEnd } from "./gateway-socket.ts";
import { Outbox, type Unnumbered } from "./outbox.ts";
import { reconnectDelayMs } from "./reconnect.ts";

interface Deps extends GatewayAddress {
  log: RuntimeLog;
  clock: Clock;
  random: Pick<Random, "fraction">;
}

export interface GatewayHandlers {
  /** State for the hello, the first message of each connection. */
  hello: () => { needsBundle: boolean; isReady: boolean; openPrompts: readonly PromptReference[] };
  /** Refusals to report with the next heartbeat. */
  refused: () => RefusedFromAgent | undefined;
  onMessage: (message: Exclude<GatewayMessage, { type: "welcome" | "ack" }>) => void;
}

/** Keeps the runtime connected to the gateway, and sends numbered messages until they are acknowledged. */
export class GatewayClient {
  readonly #deps: Deps;
  readonly #outbox: Outbox;
  readonly #costs: CostReports;
  readonly #startedMs: number;
  #socket: GatewaySocket | undefined;
  #isWelcome = false;
  #accepted: readonly string[] = [];
  #connections = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#startedMs = deps.clock.monotonicMs();
    this.#outbox = new Outbox(this.#startedMs);
    this.#costs = new CostReports(deps.clock);
  }

  /** Sends a message on this and each later connection until it is acknowledged. */
  report(message: Unnumbered): void {
    for (const numbered of this.#outbox.add(message, this.#deps.clock.monotonicMs())) {
      if (this.#isWelcome) this.#socket?.send(numbered);
    }
  }

  /** Sends a message on this connection only; drops it when there is none. */
  send(message: Extract<RuntimeMessage, { type: "restore" }>): void {
    if (this.#isWelcome) this.#socket?.send(message);
  }

  /** Has refusals reported soon; without a connection they wait for a heartbeat of the next one. */
  reportRefusals(): void {
    if (this.#isWelcome) this.#socket?.reportRefusals();
  }

  /** Reports what the sandbox has cost, on this and each later connection that accepts it. */
  reportCost(costUsd: number): void {
    this.#costs.changed(costUsd);
  }

  /** Whether the gateway of the last connection takes files that agents attach. */
  get takesMedia(): boolean {
    return this.#accepted.includes("media");
  }

  /** Number of messages that the outbox has dropped. */
  get dropped(): number {
    return this.#outbox.dropped;
  }

  /** Resolves when the gateway ends the attempt or the signal is aborted. */
  async run(handlers: GatewayHandlers, signal: AbortSignal): Promise<void> {
    const { log, random } = this.#deps;
    signal.addEventListener("abort", () => this.#socket?.close(), { once: true });
    const isStopped = (): boolean => signal.aborted;
    for (let failures = 0; !isStopped();) {
      const { end, welcomed } = await this.#connectOnce(handlers, isStopped);
      if (end.over) {
        log.info("The gateway ended this attempt");
        return;
      }
      failures = welcomed ? 0 : failures + 1;
      if (isStopped()) return;
      log.info("Disconnected", { status: end.status, code: end.code, failures });
      await sleep(this.#deps.clock, reconnectDelayMs(failures, random.fraction()), signal);
    }
  }

  async #connectOnce(
    handlers: GatewayHandlers,
    isStopped: () => boolean,
  ): Promise<{ end: SocketEnd; welcomed: boolean }> {
    const { url, clock, log } = this.#deps;
    try {
      const access = await readAccess(this.#deps);
      if (isStopped()) return { end: { over: false }, welcomed: false };
      const socket = new GatewaySocket(
        { url, ...access, clock },
        {
          onOpen: () => this.#greet(socket, handlers),
          refused: () => handlers.refused(),
          onMessage: (message) => this.#handle(socket, message, handlers),
        },
      );
      this.#socket = socket;
      const end = await socket.ended;
      return { end, welcomed: this.#isWelcome };
    } catch (error) {
      // The files may not be there yet.
      log.warn("Could not begin to connect", { code: errorCode(error) });
      return { end: { over: false }, welcomed: false };
    } finally {
      this.#isWelcome = false;
      this.#costs.use(undefined);
    }
  }

  #greet(socket: GatewaySocket, handlers: GatewayHandlers): void {
    const { needsBundle, isReady, openPrompts } = handlers.hello();
    this.#connections += 1;
    socket.send({
      type: "hello",
      protocol: protocolVersion,
      needsBundle,
      isReady,
      openPrompts: openPrompts.slice(-64),
      connection: this.#connections,
      runningMs: Math.ceil(this.#deps.clock.monotonicMs() - this.#startedMs),
      promptCharacters: protocolLimits.promptCharacters,
    });
  }

  #handle(socket: GatewaySocket, message: GatewayMessage, handlers: GatewayHandlers): void {
    if (message.type === "ack") {
      this.#outbox.acknowledge(message.seq);
    } else if (message.type === "welcome") {
      this.#deps.log.info("Connected to the gateway");
      this.#outbox.acknowledge(message.acknowledged);
      this.#isWelcome = true;
      this.#accepted = message.accepts;
      for (const waiting of this.#outbox.waiting) socket.send(waiting);
      if (message.accepts.includes("usage")) this.#costs.use((report) => socket.send(report));
    } else {
      handlers.onMessage(message);
    }
  }
}
