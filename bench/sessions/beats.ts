import { percentile, rounded } from "../statistics.ts";

/** How late heartbeats were: from the instant at which each was due until it had its effect. */
export interface Lateness {
  count: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

/** Follows heartbeats from their sender to their effect. */
export class Beats {
  readonly #dueMs = new Map<string, number>();
  #lateMs: number[] = [];
  #sent = 0;

  sent(name: string, dueMs: number): void {
    this.#sent += 1;
    this.#dueMs.set(name, dueMs);
  }

  /** The newest heartbeat of this sender has had its effect. */
  done(name: string): void {
    const dueMs = this.#dueMs.get(name);
    if (dueMs === undefined) return;
    this.#dueMs.delete(name);
    this.#lateMs.push(performance.now() - dueMs);
  }

  /** Whether every heartbeat has had its effect. */
  get isComplete(): boolean {
    return this.#dueMs.size === 0;
  }

  get count(): number {
    return this.#sent;
  }

  reset(): void {
    this.#dueMs.clear();
    this.#lateMs = [];
    this.#sent = 0;
  }

  lateness(): Lateness {
    return {
      count: this.#lateMs.length,
      p50Ms: rounded(percentile(this.#lateMs, 0.5)),
      p99Ms: rounded(percentile(this.#lateMs, 0.99)),
      maxMs: rounded(percentile(this.#lateMs, 1)),
    };
  }
}
