import { protocolLimits } from "../../api/runtime/limits.ts";

const millionthsPerUsd = 1_000_000;

interface MeterEvents {
  /** There is a report; `costUsd` is what all reports come to. */
  changed: (costUsd: number) => void;
  /** A report was no amount, or not a credible one. */
  refused: (refusal: { isFirst: boolean }) => void;
}

/**
 * What the prompts of this sandbox have cost in US dollars, as far as its agent reports it: whole millionths that never
 * shrink, up to 1,000,000 US dollars.
 */
export class CostMeter {
  readonly #events: MeterEvents;
  #millionths = 0;
  #reports = 0;
  #hasRefused = false;

  constructor(events: MeterEvents) {
    this.#events = events;
  }

  /** The cost so far, and how many reports it is of. */
  get reading(): { costUsd: number; reports: number } {
    return { costUsd: this.#millionths / millionthsPerUsd, reports: this.#reports };
  }

  /**
   * Begins a count that the agent keeps, such as of one process or conversation. `beforeUsd` is what an earlier sandbox
   * metered of it.
   */
  begin(beforeUsd = 0): CostCount {
    return new CostCount(beforeUsd, {
      add: (millionths) => this.#add(millionths),
      refuse: () => this.#refuse(),
    });
  }

  #refuse(): void {
    this.#events.refused({ isFirst: !this.#hasRefused });
    this.#hasRefused = true;
  }

  #add(millionths: number): void {
    this.#millionths = Math.min(this.#millionths + millionths, protocolLimits.costUsd * millionthsPerUsd);
    this.#reports += 1;
    this.#events.changed(this.reading.costUsd);
  }
}

interface Meter {
  add: (millionths: number) => void;
  refuse: () => void;
}

/** One count of an agent: cumulative reports, of which the highest counts. */
export class CostCount {
  readonly #before: number;
  readonly #meter: Meter;
  #highest: number | undefined;

  constructor(beforeUsd: number, meter: Meter) {
    this.#before = millionths(beforeUsd);
    this.#meter = meter;
  }

  /** What the count has come to, in US dollars. */
  get costUsd(): number {
    return (this.#highest ?? this.#before) / millionthsPerUsd;
  }

  /** Notes a report of something else that is not usable. */
  refuse(): void {
    this.#meter.refuse();
  }

  /** Takes what the agent says that its count has come to, in US dollars; anything but a credible amount is refused. */
  take(reported: unknown): void {
    if (!isCost(reported)) {
      this.refuse();
      return;
    }
    const amount = millionths(reported);
    // An agent that begins again with less than it had does not go on with its former count.
    const known = this.#highest ?? (amount < this.#before ? 0 : this.#before);
    this.#highest = Math.max(amount, known);
    this.#meter.add(this.#highest - known);
  }
}

function isCost(reported: unknown): reported is number {
  return typeof reported === "number" && reported >= 0 && reported <= protocolLimits.costUsd;
}

function millionths(amountUsd: number): number {
  return Math.round(amountUsd * millionthsPerUsd);
}
