import type { Clock, Timer } from "./clock.ts";

interface Pending {
  dueMs: number;
  run: () => void;
}

/** A clock that stands still until a test moves it; due timers run in order of their instants. */
export class FakeClock implements Clock {
  readonly #pending = new Set<Pending>();
  #startMs: number;
  #elapsedMs = 0;

  constructor(start = "2026-05-04T10:15:00.000Z") {
    this.#startMs = Date.parse(start);
  }

  now(): Date {
    return new Date(this.#startMs + this.#elapsedMs);
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  /** As real timers do, it counts whole milliseconds: what is left of a fraction of one would never pass. */
  setTimeout(run: () => void, delayMs: number): Timer {
    const pending = { dueMs: this.#elapsedMs + Math.max(Math.ceil(delayMs), 0), run };
    this.#pending.add(pending);
    return { cancel: () => void this.#pending.delete(pending) };
  }

  /** Moves time forward, running each timer at its own instant. */
  advance(ms: number): void {
    const untilMs = this.#elapsedMs + ms;
    for (let next = this.#nextDue(untilMs); next; next = this.#nextDue(untilMs)) {
      this.#pending.delete(next);
      this.#elapsedMs = Math.max(this.#elapsedMs, next.dueMs);
      next.run();
    }
    this.#elapsedMs = untilMs;
  }

  /** Sets the wall clock: no time passes, and timers do not change. */
  setForward(ms: number): void {
    this.#startMs += ms;
  }

  /** Number of pending timers. */
  get timers(): number {
    return this.#pending.size;
  }

  /** Moves time forward by `ms`, or on to the next timer where that is later, but by no more than a second. */
  advanceToTimer(ms: number): void {
    const nextMs = (this.#nextDue(Infinity)?.dueMs ?? 0) - this.#elapsedMs;
    this.advance(Math.max(ms, Math.min(nextMs, 1_000)));
  }

  #nextDue(untilMs: number): Pending | undefined {
    let next: Pending | undefined;
    for (const pending of this.#pending) {
      if (pending.dueMs <= untilMs && pending.dueMs < (next?.dueMs ?? Infinity)) next = pending;
    }
    return next;
  }
}
