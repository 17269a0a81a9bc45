import type { Run } from "../../src/api/v1alpha1/index.ts";
import { isActive } from "../../src/domain/runs/index.ts";

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
  /** Of a Run that a delivery made. */
  payload: Payload | undefined;
}

/** Every Run that a namespace ever had, in the order in which the API server stored them, and what must hold always. */
export class Ledger {
  readonly #seen = new Map<string, Seen>();
  readonly #active = new Map<string, Set<string>>();
  #broken: string | undefined;

  /** Takes in a new state of a Run. */
  follow(run: Run): void {
    const { uid = "", name = "" } = run.metadata;
    const { trigger, automationRef } = run.spec;
    if (!this.#seen.has(uid)) {
      const payload = trigger.payload === undefined ? undefined : (JSON.parse(trigger.payload) as Payload);
      this.#seen.set(uid, { uid, name, automationUid: automationRef.uid, type: trigger.type, payload });
    }
    if (trigger.type !== "Webhook") this.#followExclusive(run);
  }

  /** What did not hold at some moment: at most one scheduled or manual Run of an Automation is active. */
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

  all(): readonly Seen[] {
    return [...this.#seen.values()];
  }

  #followExclusive(run: Run): void {
    const { uid = "", labels } = run.metadata;
    const owner = labels?.["runwright.dev/automation-uid"] ?? "";
    const active = this.#active.get(owner) ?? new Set();
    this.#active.set(owner, active);
    if (isActive(run)) active.add(uid);
    else active.delete(uid);
    if (active.size > 1)
      this.#broken ??= `${active.size} scheduled or manual Runs of one Automation were active at once`;
  }
}
