import type { ApiAnswer } from "../../src/kube/transport.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** How often each thing goes wrong, as probabilities. */
export interface FaultRates {
  /** A request is answered with an error, or its answer is lost, carried out or not. */
  request: number;
  /** A watch breaks at an event. */
  watch: number;
}

export const calm: FaultRates = { request: 0, watch: 0 };
/** Enough that most histories have several faults in each part of a Run's life. */
export const usualRates: FaultRates = { request: 0.02, watch: 0.01 };

const errors: readonly ApiAnswer[] = [
  { status: 429, text: JSON.stringify({ kind: "Status", code: 429, reason: "TooManyRequests" }), retryAfterSeconds: 1 },
  { status: 500, text: JSON.stringify({ kind: "Status", code: 500, reason: "InternalError" }) },
  { status: 503, text: "the proxy's own page" },
];

/** Draws what goes wrong between processes and the API server. */
export class Faults {
  readonly random: SeededRandom;
  rates: FaultRates;

  constructor(random: SeededRandom, rates: FaultRates) {
    this.random = random;
    this.rates = rates;
  }

  /** `lost`: it never arrives; `unanswered`: it is carried out and its answer is lost; else the answer, where nothing was done. */
  ofRequest(): "lost" | "unanswered" | ApiAnswer | undefined {
    if (!this.random.happens(this.rates.request)) return undefined;
    return this.random.pick(["lost", "unanswered", "unanswered", this.random.pick(errors)] as const);
  }

  breaksWatch(): boolean {
    return this.random.happens(this.rates.watch);
  }
}
