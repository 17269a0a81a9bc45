import type { Run } from "../../src/api/v1alpha1/index.ts";
import { skippedBefore } from "../../src/domain/runs/skipped-run.ts";
import { firedAt, isActive } from "../../src/domain/runs/run-state.ts";

/** What a payload of ours says about itself. */
export interface Payload {
  /** Of the delivery that carried it; no two deliveries have the same. */
  n: number;
  status: "failed" | "ok";
  idempotencyKey?: string | undefined;
}

/** One Run that was ever seen. */
export interface Seen {
  uid: string;
  name: string;
  automationUid: string | undefined;
  type: Run["spec"]["trigger"]["type"];
  /** When it was accepted; from then on it may be too old to start. */
  firedMs: number;
  /** UID of the skipped Run that it stands for. */
  copyOf: string | undefined;
  /** Of a Run that a delivery made. */
  payload: Payload | undefined;
  /** The newest state, which stays when the Run is gone. */
  last: Run;
}

/** Every Run that a namespace ever had, in the order in which the API server stored them, and what must hold always. */
export class Ledger {
  readonly #seen = new Map<string, Seen>();
  readonly #active = new Map<string, Set<string>>();
  #broken: string | undefined;

  /** Takes in a new state of a Run, or its last one. */
  follow(run: Run, isGone: boolean): void {
    const { uid = "" } = run.metadata;
    const seen = this.#seen.get(uid);
    if (seen) seen.last = run;
    else this.#add(uid, run);
    if (run.spec.trigger.type !== "Webhook") this.#followExclusive(run, isGone);
  }

  /** The newest Run that ever had this name. */
  last(name: string): Run | undefined {
    return this.all().findLast((seen) => seen.name === name)?.last;
  }

  /** The newest Run that ever had this name, if it had an idempotency key. */
  keyed(name: string): Seen | undefined {
    const seen = this.all().findLast((one) => one.name === name);
    return seen?.payload?.idempotencyKey === undefined ? undefined : seen;
  }

  copyOf(uid: string): Seen | undefined {
    return this.all().find(({ copyOf }) => copyOf === uid);
  }

  #add(uid: string, run: Run): void {
    const { trigger, automationRef } = run.spec;
    const copyOf = skippedBefore(run)?.uid;
    const isDelivery = trigger.payload !== undefined && copyOf === undefined;
    const payload = isDelivery ? (JSON.parse(trigger.payload!) as Payload) : undefined;
    const { type, time = "" } = trigger;
    const slots = type === "Schedule" ? this.slots(automationRef.uid ?? "") : [];
    if (slots.includes(time)) this.#broken ??= `the slot ${time} has two Runs`;
    this.#seen.set(uid, {
      uid,
      name: run.metadata.name ?? "",
      automationUid: automationRef.uid,
      type,
      copyOf,
      firedMs: Date.parse(firedAt(run)),
      payload,
      last: run,
    });
  }

  /** What did not hold at some moment: at most one active scheduled or manual Run of an Automation, and one of a slot. */
  get broken(): string | undefined {
    return this.#broken;
  }

  runsOfDelivery(n: number): readonly Seen[] {
    return this.all().filter(({ payload }) => payload?.n === n);
  }

  runsOfKey(automationUid: string, idempotencyKey: string): readonly Seen[] {
    return this.all().filter(
      (seen) => seen.automationUid === automationUid && seen.payload?.idempotencyKey === idempotencyKey,
    );
  }

  /** Slots of an Automation that have Runs. */
  slots(automationUid: string): readonly string[] {
    const ofSlots = this.all().filter((seen) => seen.type === "Schedule" && seen.automationUid === automationUid);
    return ofSlots.map(({ last }) => last.spec.trigger.time ?? "");
  }

  runOfSlot(automationUid: string, slot: string): Seen | undefined {
    const runs = this.all().filter((seen) => seen.type === "Schedule" && seen.automationUid === automationUid);
    return runs.find(({ last }) => last.spec.trigger.time === slot);
  }

  all(): readonly Seen[] {
    return [...this.#seen.values()];
  }

  #followExclusive(run: Run, isGone: boolean): void {
    const { uid = "", labels } = run.metadata;
    const owner = labels?.["runwright.dev/automation-uid"] ?? "";
    const active = this.#active.get(owner) ?? new Set();
    this.#active.set(owner, active);
    if (isActive(run) && !isGone) active.add(uid);
    else active.delete(uid);
    if (active.size > 1)
      this.#broken ??= `${active.size} scheduled or manual Runs of one Automation were active at once`;
  }
}
