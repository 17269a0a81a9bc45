import { mostRefused, type RefusedFromAgent, type RefusedKind } from "../../api/runtime/refused-from-agent.ts";

/** Counts refusals of the agent's container until they are reported. */
export class RefusalCount {
  readonly #added: () => void;
  #counts: RefusedFromAgent = {};

  constructor(added: () => void = () => undefined) {
    this.#added = added;
  }

  add(kind: RefusedKind): void {
    this.#counts[kind] = Math.min((this.#counts[kind] ?? 0) + 1, mostRefused);
    this.#added();
  }

  /** The counts since the last call; undefined when there are none. */
  take(): RefusedFromAgent | undefined {
    const counts = this.#counts;
    this.#counts = {};
    return Object.keys(counts).length === 0 ? undefined : counts;
  }
}
