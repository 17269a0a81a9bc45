import type { WebSocket } from "ws";
import { protocolLimits } from "../../api/runtime/limits.ts";
import {
  type GatewayMessage,
  type NumberedMessage,
  protocolVersion,
  type RuntimeMessage,
} from "../../api/runtime/messages.ts";
import { isInvalid, isNotFound } from "../../kube/errors.ts";
import { sleep } from "../../lib/sleep.ts";
import type { Attempt } from "../attempts/attempt.ts";
import { storableFailure } from "../attempts/boot-failure.ts";
import { BundleUnavailableError } from "../attempts/bundles.ts";
import type { Journal } from "../events/journal.ts";
import { recorded } from "../events/recorded.ts";
import type { AttemptLease } from "../attempts/leases.ts";
import type { ConnectionDeps } from "./connection-deps.ts";
import { type CloseCause, Link } from "./link.ts";
import { Orders } from "./orders.ts";
import type { Progress } from "./progress.ts";

type Hello = Extract<RuntimeMessage, { type: "hello" }>;
type Heartbeat = Extract<RuntimeMessage, { type: "heartbeat" }>;
type Finished = Extract<NumberedMessage, { type: "promptFinished" }>;

/** Between two tries of what failed for now, in milliseconds. */
const retryMs = { first: 250, longest: 5_000 };
/** Between two renewals of a Lease, however often the runtime beats, in milliseconds. */
const renewMs = 10_000;
/** How long a runtime may take to go after a shutdown, in milliseconds. */
const shutdownMs = 10_000;

/**
 * One runtime's conversation. The hello and numbered messages are dealt with strictly one after the other, and
 * acknowledged when both their effect and their record among the session's events are stored. Records go their own way,
 * so that results arrive even while the blob store does not answer; so do heartbeats and what the session's status asks
 * for.
 */
export class Connection {
  readonly attempt: Attempt;
  readonly #link: Link;
  readonly #deps: ConnectionDeps;
  readonly #progress: Progress;
  readonly #journal: Journal;
  /** The effects of everything up to this number are stored. */
  #dealtTo: number;
  readonly #inbox: (Hello | NumberedMessage)[] = [];
  readonly #orders: Orders;
  #lease: AttemptLease | undefined;
  #state: "new" | "greeting" | "welcome" | "leaving" = "new";
  #dealing = false;
  #renewing = false;
  #renewedMs = -Infinity;

  constructor(socket: WebSocket, admitted: { attempt: Attempt; progress: Progress }, deps: ConnectionDeps) {
    this.attempt = admitted.attempt;
    this.#progress = admitted.progress;
    this.#deps = deps;
    this.#dealtTo = admitted.progress.seq;
    this.#link = new Link(socket, deps, (message) => this.#hear(message));
    this.#orders = new Orders({
      ...deps,
      attempt: this.attempt,
      link: this.#link,
      isWelcome: () => this.isWelcome,
      shutDown: (reason) => this.#shutDown(reason),
      failed: (error) => this.#note(error, "session", "Could not follow a session's status yet"),
    });
    this.#journal = deps.journals.open({
      attempt: this.attempt,
      storedTo: this.#dealtTo,
      stored: () => this.#acknowledge(),
      failed: (error) => this.#note(error, "events", "Could not store a session's events yet"),
      signal: this.#link.ended,
    });
  }

  close(cause: CloseCause): void {
    this.#link.close(cause);
  }

  /** Whether the runtime takes orders: it has said hello and its attempt goes on. */
  get isWelcome(): boolean {
    return this.#state === "welcome" && !this.#link.ended.aborted;
  }

  /** Has the runtime dial a stream. */
  openStream(message: Extract<GatewayMessage, { type: "openStream" }>): void {
    this.#link.send(message);
  }

  /** Looks at what the session's status asks for; called at each change of the session. */
  sessionChanged(): void {
    this.#orders.sessionChanged();
  }

  #hear(message: RuntimeMessage): void {
    this.#deps.metrics.messages.inc({ type: message.type });
    const isFirst = this.#state === "new";
    if ((message.type === "hello") !== isFirst) this.close("malformed");
    else if (message.type === "heartbeat") this.#takeBeat(message);
    else if (message.type === "restore") this.#deps.restore(this.attempt);
    else this.#queue(message);
  }

  #queue(message: Hello | NumberedMessage): void {
    if (message.type === "hello") {
      // From here on it waits for us: with many at once that may take longer than a hello does.
      this.#link.cancel("hello");
      this.#state = "greeting";
    }
    if (this.#inbox.length + this.#journal.size >= protocolLimits.unacknowledged) {
      this.close("flooding");
      return;
    }
    this.#inbox.push(message);
    if (!this.#dealing) void this.#dealWithInbox();
  }

  async #dealWithInbox(): Promise<void> {
    this.#dealing = true;
    for (let message = this.#inbox.shift(); message; message = this.#inbox.shift()) {
      await this.#dealUntilDone(message);
      if (this.#link.ended.aborted) return;
    }
    this.#dealing = false;
  }

  #acknowledge(): void {
    const seq = Math.min(this.#dealtTo, this.#journal.storedTo);
    if (seq <= this.#progress.seq) return;
    this.#progress.seq = seq;
    this.#link.send({ type: "ack", seq });
  }

  async #dealUntilDone(message: Hello | NumberedMessage): Promise<void> {
    for (let waitMs = retryMs.first; !this.#link.ended.aborted; waitMs = Math.min(2 * waitMs, retryMs.longest)) {
      try {
        await (message.type === "hello" ? this.#greet(message) : this.#deal(message));
        return;
      } catch (error) {
        if (message.type === "hello" || isNotFound(error)) {
          this.#sendAway(error);
          return;
        }
        this.#deps.metrics.retries.inc({ step: "message" });
        this.#deps.logger.warn({ err: error, type: message.type, ...this.#names() }, "Could not store a message yet");
        await sleep(this.#deps.clock, waitMs, this.#link.ended);
      }
    }
  }

  /** The runtime comes back in seconds, and then the upgrade tells it whether its attempt is over. */
  #sendAway(error: unknown): void {
    const why = error instanceof BundleUnavailableError ? { reason: error.message } : { err: error };
    this.#deps.logger.warn({ ...why, ...this.#names() }, "Sent a runtime away");
    this.close("tryAgain");
  }

  async #greet(hello: Hello): Promise<void> {
    this.#lease = await this.#deps.leases.open(this.attempt);
    if (hello.isReady) await this.#lease.markReady();
    const bundle = hello.needsBundle ? await this.#deps.bundles.read(this.attempt) : undefined;
    for (const prompt of hello.openPrompts) this.#orders.has(prompt);
    this.#link.send({ type: "welcome", protocol: protocolVersion, acknowledged: this.#progress.seq });
    if (bundle) this.#link.send({ type: "bundle", bundle });
    this.#state = "welcome";
    this.#deps.logger.info({ ...this.#names(), bundle: bundle !== undefined }, "Welcomed a runtime");
    this.sessionChanged();
  }

  async #deal(message: NumberedMessage): Promise<void> {
    if (message.seq <= this.#progress.seq) {
      // Sent again after a lost acknowledgement.
      this.#link.send({ type: "ack", seq: this.#progress.seq });
      return;
    }
    this.#journal.add(message.seq, recorded(message));
    if (message.type === "event") this.#deps.metrics.events.inc({ kind: message.event.kind });
    else await this.#report(message);
    this.#dealtTo = message.seq;
    this.#acknowledge();
  }

  async #report(message: Exclude<NumberedMessage, { type: "event" }>): Promise<void> {
    // Who sees the effect finds the record.
    await this.#journal.settle(message.seq);
    if (message.type === "ready") await this.#lease?.markReady();
    if (message.type === "bootFailed") await this.#lease?.markBootFailed(storableFailure(message.failure));
    if (message.type === "promptFinished") await this.#finish(message);
    this.#deps.logger.info({ ...this.#names(), type: message.type }, "Took a report");
  }

  async #finish({ outcome }: Finished): Promise<void> {
    const { prompts, metrics, logger } = this.#deps;
    try {
      metrics.outcomes.inc({ settlement: await prompts.settle(this.attempt, outcome) });
    } catch (error) {
      if (!isInvalid(error)) throw error;
      // No repeat would be taken either; the execution timeout ends the prompt.
      metrics.outcomes.inc({ settlement: "refused" });
      logger.error({ err: error, ...this.#names() }, "The API server refused a prompt's outcome");
    }
    this.#orders.ended(outcome.prompt);
  }

  #takeBeat({ refused = {} }: Heartbeat): void {
    const { metrics, clock } = this.#deps;
    for (const reason of this.#progress.refusals.take(refused, clock.monotonicMs())) metrics.refusals.inc({ reason });
    void this.#renew();
  }

  async #renew(): Promise<void> {
    const nowMs = this.#deps.clock.monotonicMs();
    if (!this.#lease || this.#renewing || nowMs - this.#renewedMs < renewMs) return;
    this.#renewing = true;
    this.#renewedMs = nowMs;
    try {
      await this.#lease.renew();
    } catch (error) {
      if (isNotFound(error)) this.#sendAway(error);
      // The next beat is 30 s away and the limit 90 s: one lost renewal does no harm.
      else this.#note(error, "lease", "Could not renew a session's Lease");
    } finally {
      this.#renewing = false;
    }
  }

  #shutDown(reason: string): void {
    this.#state = "leaving";
    this.#link.send({ type: "shutdown", reason });
    this.#deps.logger.info({ ...this.#names(), reason }, "Told a runtime to end");
    this.#link.after("shutdown", shutdownMs, () => this.close("over"));
  }

  #note(error: unknown, step: string, message: string): void {
    this.#deps.metrics.retries.inc({ step });
    this.#deps.logger.warn({ err: error, ...this.#names() }, message);
  }

  #names(): { session: string; namespace: string; attempt: number } {
    return { session: this.attempt.session, namespace: this.attempt.namespace, attempt: this.attempt.attempt };
  }
}
