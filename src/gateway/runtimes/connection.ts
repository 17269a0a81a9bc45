import type { WebSocket } from "ws";
import { protocolLimits } from "../../api/runtime/limits.ts";
import {
  type GatewayMessage,
  type NumberedMessage,
  type PromptOutcome,
  protocolVersion,
  type RuntimeMessage,
  type SandboxEvent,
} from "../../api/runtime/messages.ts";
import { isInvalid, isNotFound } from "../../kube/errors.ts";
import { ownRefusalOf, type PolicyRefusal } from "../../kube/policy-refusal.ts";
import { sleep } from "../../lib/sleep.ts";
import type { Attempt } from "../attempts/attempt.ts";
import { storableFailure, storableGoneWithout } from "../attempts/boot-failure.ts";
import { BundleUnavailableError } from "../attempts/bundles.ts";
import type { Journal } from "../events/journal.ts";
import { recorded } from "../events/recorded.ts";
import { LeaseTakenError } from "../attempts/held-lease.ts";
import type { AttemptLease } from "../attempts/leases.ts";
import type { ConnectionDeps } from "./connection-deps.ts";
import { CostNotes } from "./cost-notes.ts";
import { failRefused, refusedMs } from "./fail-refused.ts";
import { type CloseCause, Link } from "./link.ts";
import { mayClaimLater } from "./may-claim-later.ts";
import { Orders } from "./orders.ts";
import type { Progress } from "./progress.ts";
import type { ReadMessage, UnknownMessage } from "./read-message.ts";
import type { Settlement } from "./prompts.ts";

type Hello = Extract<RuntimeMessage, { type: "hello" }>;
type Heartbeat = Extract<RuntimeMessage, { type: "heartbeat" }>;
type Numbered = NumberedMessage | (UnknownMessage & { seq: number });

/** Milliseconds between tries. */
const retryMs = { first: 250, longest: 5_000 };
/** Milliseconds that a runtime has to disconnect after a shutdown. */
const shutdownMs = 10_000;

/**
 * The connection of one runtime. The hello and numbered messages are handled strictly in order, and acknowledged when both
 * their effect and their event are stored. Events are stored concurrently, so that results arrive even while the blob
 * store does not answer; heartbeats and orders from the session's status do not wait either.
 */
export class Connection {
  readonly attempt: Attempt;
  readonly #link: Link;
  readonly #deps: ConnectionDeps;
  readonly #progress: Progress;
  readonly #journal: Journal;
  /** Number up to which the effects of messages are stored. */
  #handledTo: number;
  readonly #inbox: (Hello | Numbered)[] = [];
  readonly #orders: Orders;
  readonly #costs: CostNotes;
  #lease: AttemptLease | undefined;
  #state: "new" | "greeting" | "welcome" | "leaving" = "new";
  #isHandling = false;

  constructor(socket: WebSocket, admitted: { attempt: Attempt; progress: Progress }, deps: ConnectionDeps) {
    this.attempt = admitted.attempt;
    this.#progress = admitted.progress;
    this.#deps = deps;
    this.#handledTo = admitted.progress.seq;
    this.#link = new Link(socket, { ...deps, frames: this.#progress.frames }, (read) => this.#receive(read));
    this.#orders = new Orders({
      ...deps,
      attempt: this.attempt,
      link: this.#link,
      isWelcome: () => this.isWelcome,
      shutDown: (reason) => this.#shutDown(reason),
      failed: (error) => this.#note(error, "session", "Could not follow a session's status yet"),
    });
    this.#journal = deps.openJournal({
      attempt: this.attempt,
      storedTo: this.#handledTo,
      stored: () => this.#acknowledge(),
      failed: (error) => this.#note(error, "events", "Could not store a session's events yet"),
      signal: this.#link.ended,
    });
    this.#costs = new CostNotes({
      lease: () => this.#lease,
      link: this.#link,
      hasLimit: () => deps.hasCostLimit(this.attempt.sessionUid),
      failed: (error) => this.#leaseFailed(error, "Could not note a session's cost yet"),
    });
    this.#link.ended.addEventListener("abort", () => this.#costs.disconnected(), { once: true });
  }

  close(cause: CloseCause): void {
    this.#link.close(cause);
  }

  /** Whether the runtime takes orders: it was welcomed and its attempt has not ended. */
  get isWelcome(): boolean {
    return this.#state === "welcome" && !this.#link.ended.aborted;
  }

  /** Asks the runtime to dial a stream. */
  openStream(message: Extract<GatewayMessage, { type: "openStream" }>): void {
    this.#link.send(message);
  }

  /** Follows the session's status; called at each change of the session. */
  sessionChanged(): void {
    this.#orders.sessionChanged();
  }

  #receive({ message, hasUnknownFields }: ReadMessage): void {
    this.#deps.metrics.messages.inc({ type: message.type });
    if (hasUnknownFields) this.#deps.metrics.ignored.inc({ what: "field" });
    const isFirst = this.#state === "new";
    if ((message.type === "hello") !== isFirst) this.close("malformed");
    else if (message.type === "unknown") this.#receiveUnknown(message);
    else if (message.type === "heartbeat") this.#receiveHeartbeat(message);
    else if (message.type === "restore") this.#deps.restore(this.attempt, message.refused === true);
    else if (message.type === "usage") this.#costs.reported(message.costUsd);
    else this.#queue(message);
  }

  #receiveUnknown({ type, seq }: UnknownMessage): void {
    this.#deps.metrics.ignored.inc({ what: "message" });
    if (seq !== undefined) this.#queue({ type, seq });
  }

  #queue(message: Hello | Numbered): void {
    if (message.type === "hello") {
      // From here on the gateway may take longer than the time limit of the hello, if many runtimes connect at once.
      this.#link.cancel("hello");
      this.#state = "greeting";
    }
    if (this.#inbox.length + this.#journal.size >= protocolLimits.unacknowledged) this.close("flooding");
    else {
      this.#inbox.push(message);
      if (!this.#isHandling) void this.#handleInbox();
    }
  }

  async #handleInbox(): Promise<void> {
    this.#isHandling = true;
    for (let message = this.#inbox.shift(); message; message = this.#inbox.shift()) {
      await this.#handleUntilDone(message);
      if (this.#link.ended.aborted) return;
    }
    this.#isHandling = false;
  }

  #acknowledge(): void {
    const seq = Math.min(this.#handledTo, this.#journal.storedTo);
    if (seq <= this.#progress.seq) return;
    this.#progress.seq = seq;
    this.#link.send({ type: "ack", seq });
  }

  async #handleUntilDone(message: Hello | Numbered): Promise<void> {
    const startMs = this.#deps.clock.monotonicMs();
    let refusal: PolicyRefusal | undefined;
    for (let waitMs = retryMs.first; !this.#link.ended.aborted; waitMs = Math.min(2 * waitMs, retryMs.longest)) {
      try {
        await (message.type === "hello" ? this.#greet(message) : this.#handle(message, refusal));
        return;
      } catch (error) {
        if (message.type === "hello" || isNotFound(error) || error instanceof LeaseTakenError) {
          this.#askToReconnect(error);
          return;
        }
        this.#deps.metrics.retries.inc({ step: "message" });
        this.#deps.logger.warn({ err: error, type: message.type, ...this.#names() }, "Could not store a message yet");
        await sleep(this.#deps.clock, waitMs, this.#link.ended);
        if (this.#deps.clock.monotonicMs() - startMs >= refusedMs) refusal ??= ownRefusalOf(this.#deps.release, error);
      }
    }
  }

  /** The runtime reconnects within seconds, and the answer to its upgrade tells whether its attempt has ended. */
  #askToReconnect(error: unknown): void {
    if (error instanceof LeaseTakenError) {
      this.close("replaced");
      return;
    }
    const why = error instanceof BundleUnavailableError ? { reason: error.message } : { err: error };
    this.#deps.logger.warn({ ...why, ...this.#names() }, "Asked a runtime to reconnect");
    this.close("tryAgain");
  }

  async #greet(hello: Hello): Promise<void> {
    await this.#progress.frames.roomForRepeats(this.#deps.clock, this.#link.ended);
    if (this.#link.ended.aborted) return;
    const sandbox = this.#deps.session(this.attempt.sessionUid)?.status?.sandbox;
    const mayWait = mayClaimLater(hello, { isFromPool: sandbox?.pool !== undefined });
    this.#lease = await this.#deps.leases.claim(this.attempt, hello.connection, { mayWait });
    if (hello.isReady) await this.#lease.markReady();
    const bundle = hello.needsBundle ? await this.#deps.bundles.read(this.attempt) : undefined;
    this.#orders.takes(hello.promptCharacters);
    for (const prompt of hello.openPrompts) this.#orders.has(prompt);
    const accepts = [...this.#deps.accepts];
    this.#link.send({ type: "welcome", protocol: protocolVersion, acknowledged: this.#progress.seq, accepts });
    if (bundle) this.#link.send({ type: "bundle", bundle });
    this.#state = "welcome";
    this.#deps.logger.info({ ...this.#names(), bundle: bundle !== undefined }, "Welcomed a runtime");
    this.sessionChanged();
  }

  /** With a refusal the message's report is given up. */
  async #handle(message: Numbered, refusal: PolicyRefusal | undefined): Promise<void> {
    if (message.seq <= this.#progress.seq) {
      // Repeated after a lost acknowledgement.
      this.#link.send({ type: "ack", seq: this.#progress.seq });
      return;
    }
    this.#journal.add(message.seq, message.type === "unknown" ? undefined : recorded(message));
    if (message.type === "event") this.#noteEvent(message.event);
    else if (refusal) await this.#giveUp(message, refusal);
    else if (message.type !== "unknown") await this.#report(message);
    this.#handledTo = message.seq;
    this.#acknowledge();
  }

  #noteEvent(event: SandboxEvent): void {
    this.#deps.metrics.events.inc({ kind: event.kind });
    if (event.kind !== "bootProgress") return;
    const { phase, repository, commits } = event;
    this.#lease?.boots({ phase, ...(repository !== undefined && { repository }), ...(commits && { commits }) });
  }

  async #report(message: Exclude<NumberedMessage, { type: "event" }>): Promise<void> {
    await this.#progress.reports.turn(this.#deps.clock, this.#link.ended);
    // The event is stored before its effect is visible.
    await this.#journal.settle(message.seq);
    if (message.type === "ready") await this.#lease?.markReady(storableGoneWithout(message));
    if (message.type === "built") await this.#lease?.markBuilt(message.note);
    if (message.type === "bootFailed") await this.#lease?.markBootFailed(storableFailure(message.failure));
    if (message.type === "promptFinished") await this.#finish(message.outcome);
    this.#deps.logger.info({ ...this.#names(), type: message.type }, "Stored a report");
  }

  /** What a report was of fails; where that is refused too, its clocks end it. */
  async #giveUp(report: Numbered, refusal: PolicyRefusal): Promise<void> {
    const prompt = report.type === "promptFinished" ? report.outcome.prompt : undefined;
    try {
      await failRefused(refusal, prompt, { ...this.#deps, attempt: this.attempt, lease: this.#lease });
      if (prompt) this.#orders.ended(prompt);
    } catch (error) {
      if (!ownRefusalOf(this.#deps.release, error)) throw error;
      this.#note(error, "message", "Could not say that a report was refused");
    }
  }

  async #finish(outcome: PromptOutcome): Promise<void> {
    const { sandboxCostUsd } = outcome.usage ?? {};
    if (sandboxCostUsd !== undefined) this.#lease?.costs(sandboxCostUsd);
    const settlement = await this.#settle(outcome);
    this.#deps.metrics.outcomes.inc({ settlement });
    // Only the outcome that settles a prompt brings its cost to the session.
    if (settlement !== "settled") await this.#lease?.storeCost();
    this.#orders.ended(outcome.prompt);
  }

  async #settle(outcome: PromptOutcome): Promise<Settlement | "refused"> {
    const { prompts, logger } = this.#deps;
    try {
      return await prompts.settle(this.attempt, outcome);
    } catch (error) {
      if (!isInvalid(error) || ownRefusalOf(this.#deps.release, error)) throw error;
      // A repeat would be rejected too; the execution timeout ends the prompt.
      logger.error({ err: error, ...this.#names() }, "The API server refused a prompt's outcome");
      return "refused";
    }
  }

  #receiveHeartbeat({ refused = {}, ignored = 0, ignoredFields = 0 }: Heartbeat): void {
    const { metrics, clock } = this.#deps;
    metrics.ignored.inc({ what: "order" }, ignored);
    metrics.ignored.inc({ what: "orderField" }, ignoredFields);
    for (const reason of this.#progress.refusals.take(refused, clock.monotonicMs())) metrics.refusals.inc({ reason });
    // A heartbeat that could not be noted is, with the next renewal of the replica's own Lease.
    this.#lease?.beat().catch((error: unknown) => this.#leaseFailed(error, "Could not note a session's heartbeat yet"));
  }

  #leaseFailed(error: unknown, message: string): void {
    if (isNotFound(error) || error instanceof LeaseTakenError) this.#askToReconnect(error);
    else this.#note(error, "lease", message);
  }

  #shutDown(reason: string): void {
    this.#state = "leaving";
    this.#link.send({ type: "shutdown", reason });
    this.#deps.logger.info({ ...this.#names(), reason }, "Asked a runtime to shut down");
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
