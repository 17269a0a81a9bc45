import { mostRefused, type RefusedFromAgent, type RefusedKind } from "../../api/runtime/refused-from-agent.ts";

/** Counts what was refused of the agent's container until it is reported. */
export class RefusalCount {
  #counts: RefusedFromAgent = {};

  add(kind: RefusedKind): void {
    this.#counts[kind] = Math.min((this.#counts[kind] ?? 0) + 1, mostRefused);
  }

  /** What there was since this was asked last; undefined for nothing. */
  take(): RefusedFromAgent | undefined {
    const counts = this.#counts;
    this.#counts = {};
    return Object.keys(counts).length === 0 ? undefined : counts;
  }
}
