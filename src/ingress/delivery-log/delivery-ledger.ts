import type { LoggedDelivery, LogWriter, RefusalReason } from "../../api/v1alpha1/index.ts";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import type { LoggedAutomation } from "../../domain/deliveries/delivery.ts";
import { silentLog, type KubeLog } from "../../kube/ports.ts";
import { waitAtMost } from "../../lib/sleep.ts";
import type { Clock, Timer } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import type { LogEntries } from "./delivery-log.ts";
import { LedgerPage } from "./ledger-page.ts";
import { writeDeliveryLog, type DeliveryLogClient } from "./write-delivery-log.ts";

/** Maximum of concurrent writes; deliveries use the same connections. */
const writesAtOnce = 4;
/** Maximum memory of all pages while nothing can be written, in bytes. */
const memoryBytes = 16 * 1_048_576;
/** Time for the last writes when the process ends, in milliseconds. */
const closeWithinMs = 5_000;

/** Metrics of the ledger. */
export interface LedgerMetrics {
  wroteLog(outcome: "stored" | "failed"): void;
  droppedFromLog(deliveries: number): void;
}

export interface DeliveryLedgerDeps {
  client: DeliveryLogClient;
  clock: Clock;
  random: Pick<Random, "uuid">;
  /** UID of the webhook automation with this id in this replica's cache. */
  knownUid: (id: NamespacedName) => string | undefined;
  metrics?: LedgerMetrics | undefined;
  log?: KubeLog | undefined;
}

interface Slot {
  page: LedgerPage;
  wake: { timer: Timer; atMs: number } | undefined;
  /** Waits for a write, or is being written. */
  isQueued: boolean;
}

/**
 * Writes the outcomes of deliveries to DeliveryLogs in the background: at most every 5 s per Automation, however many
 * deliveries there are. What cannot be written is kept for the next write, within bounds.
 */
export class ClusterDeliveryLedger {
  readonly #deps: DeliveryLedgerDeps;
  /** Of this process: a later one in the same pod must not go on with the sequence of this one. */
  readonly #writerId: string;
  #sequence = 0;
  /** By the Automation's UID. */
  readonly #slots = new Map<string, Slot>();
  readonly #queue: Slot[] = [];
  #writing = 0;
  /** Approximate memory of all pages. */
  #bytes = 0;
  #isFailing = false;
  /** Set by {@link close}; from then on nothing is delayed. */
  #whenIdle: (() => void) | undefined;

  constructor(deps: DeliveryLedgerDeps) {
    this.#deps = deps;
    this.#writerId = deps.random.uuid();
  }

  /** Records a delivery whose key matched. */
  note(automation: LoggedAutomation, delivery: LoggedDelivery): void {
    const nowMs = this.#deps.clock.monotonicMs();
    this.#change(this.#slotOf(automation), (page) => page.note(delivery, nowMs));
    this.#makeRoom();
  }

  /** Counts a request without the automation's key. */
  countRefusal(id: NamespacedName, reason: RefusalReason, at: Date): void {
    const uid = this.#deps.knownUid(id);
    if (uid === undefined) return;
    const nowMs = this.#deps.clock.monotonicMs();
    this.#change(this.#slotOf({ ...id, uid }), (page) => page.count(reason, at.toISOString(), nowMs));
  }

  /** Drops the pending page of a deleted Automation, whose log is garbage-collected. */
  forget(automationUid: string): void {
    const slot = this.#slots.get(automationUid);
    if (!slot) return;
    slot.wake?.timer.cancel();
    this.#slots.delete(automationUid);
    this.#bytes -= slot.page.bytes;
  }

  /** Writes all pending pages; resolves when that is done, or after 5 s. */
  async close(): Promise<void> {
    const idle = new Promise<void>((resolve) => (this.#whenIdle = resolve));
    for (const slot of this.#slots.values()) this.#wakeUp(slot);
    this.#startWrites();
    await waitAtMost(this.#deps.clock, closeWithinMs, idle);
  }

  #slotOf({ namespace, name, uid }: LoggedAutomation): Slot {
    const known = this.#slots.get(uid);
    if (known) return known;
    const slot: Slot = { page: new LedgerPage({ namespace, name, uid }), wake: undefined, isQueued: false };
    this.#slots.set(uid, slot);
    return slot;
  }

  #change(slot: Slot, change: (page: LedgerPage) => void): void {
    const before = slot.page.bytes;
    change(slot.page);
    if (!this.#isKept(slot)) return;
    this.#bytes += slot.page.bytes - before;
    this.#setWake(slot);
  }

  #isKept(slot: Slot): boolean {
    return this.#slots.get(slot.page.automation.uid) === slot;
  }

  #setWake(slot: Slot): void {
    const { clock } = this.#deps;
    const atMs = slot.page.dueMs;
    if (this.#whenIdle || slot.isQueued || (slot.wake && slot.wake.atMs <= atMs)) return;
    slot.wake?.timer.cancel();
    const timer = clock.setTimeout(() => this.#wakeUp(slot), atMs - clock.monotonicMs());
    slot.wake = { timer, atMs };
  }

  #wakeUp(slot: Slot): void {
    slot.wake?.timer.cancel();
    slot.wake = undefined;
    if (slot.isQueued) return;
    if (slot.page.isEmpty) {
      this.#slots.delete(slot.page.automation.uid);
      return;
    }
    slot.isQueued = true;
    this.#queue.push(slot);
    this.#startWrites();
  }

  #startWrites(): void {
    while (this.#writing < writesAtOnce) {
      const slot = this.#queue.shift();
      if (!slot) break;
      if (!this.#isKept(slot)) continue;
      this.#writing += 1;
      void this.#write(slot);
    }
    if (this.#writing === 0) this.#whenIdle?.();
  }

  /** Always schedules the slot's next write and starts the next slot's. */
  async #write(slot: Slot): Promise<void> {
    const { client, clock } = this.#deps;
    const { automation } = slot.page;
    let taken: LogEntries = { deliveries: [] };
    this.#change(slot, (page) => (taken = page.take(clock.monotonicMs(), () => this.#nextWriter())));
    const error = await writeDeliveryLog(client, automation, taken).then(() => undefined, asError);
    this.#report(error);
    this.#writing -= 1;
    slot.isQueued = false;
    this.#change(slot, (page) => {
      if (error) page.putBack(taken);
      else page.confirm();
    });
    // On close, failed writes are not repeated.
    if (this.#whenIdle && !error && this.#isKept(slot)) this.#wakeUp(slot);
    this.#startWrites();
  }

  #nextWriter(): LogWriter {
    this.#sequence += 1;
    return { id: this.#writerId, sequence: this.#sequence };
  }

  /** Drops the deliveries of the oldest pages while memory is full. */
  #makeRoom(): void {
    if (this.#bytes <= memoryBytes) return;
    let dropped = 0;
    for (const slot of this.#slots.values()) {
      this.#change(slot, (page) => (dropped += page.dropDeliveries()));
      if (dropped > 0 && this.#bytes <= memoryBytes) break;
    }
    this.#deps.metrics?.droppedFromLog(dropped);
  }

  #report(error: Error | undefined): void {
    const { metrics, log = silentLog } = this.#deps;
    metrics?.wroteLog(error ? "failed" : "stored");
    // Logged when the state changes: one line per failed write would be too many while the API server is down.
    if (error && !this.#isFailing) log.warn({ err: error }, "Failed to write a DeliveryLog, still trying");
    if (!error && this.#isFailing) log.info({}, "Writing DeliveryLogs again");
    this.#isFailing = error !== undefined;
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error("not an error", { cause: error });
}
