import { setTimeout as delay } from "node:timers/promises";
import type { FakeClock } from "../../src/lib/fake-clock.ts";
import type { ControllersAtWork } from "./controllers-at-work.ts";
import { nextLookMs } from "./poll.ts";

/** How a test waits in a world's time. */
export interface Patience {
  /** Milliseconds that pass for each look, or more where the next timer is due later; 0: time stands still. */
  stepMs?: number | undefined;
  /** Real milliseconds until the test gives up. */
  limitMs?: number | undefined;
}

/** Bounds of the time between two looks. */
const looks = { leastMs: 5, mostMs: 250 };
/** In how many steps a round of {@link WorldTime.rest} passes. */
const restSteps = 5;

/**
 * The time of a test's world. It goes on only while the world's controllers have nothing left to do, so that what they
 * decide does not depend on how fast the machine is.
 */
export class WorldTime {
  readonly #clock: FakeClock;
  readonly #controllers = new Set<ControllersAtWork>();

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  /** Has time wait for these controllers too; returns what ends that. */
  waitFor(controllers: ControllersAtWork): () => void {
    this.#controllers.add(controllers);
    return () => void this.#controllers.delete(controllers);
  }

  /**
   * Looks until there is something to be found while no reconcile is under way, so that its writer has its answer, and
   * counts and events are complete.
   */
  async find<T>(
    what: string,
    look: () => T | undefined | Promise<T | undefined>,
    { stepMs = 0, limitMs = 240_000 }: Patience = {},
  ): Promise<T> {
    const startMs = performance.now();
    /** When something last went on. */
    let wentOnMs = startMs;
    for (;;) {
      const before = this.#taken();
      const wasIdle = this.#isIdle();
      const nothingHappened = (): boolean => wasIdle && this.#isIdle() && this.#taken() === before;
      const found = wasIdle ? await look() : undefined;
      if (found !== undefined && nothingHappened()) return found;
      if (performance.now() - startMs > limitMs) throw new Error(`not within ${limitMs / 1000} s: ${what}`);
      // What comes about without time is looked at before time takes it away again.
      const mayPass = found === undefined && stepMs > 0 && (await this.#isAtRest()) && nothingHappened();
      if (mayPass) this.#clock.advanceToTimer(stepMs);
      const nowMs = performance.now();
      if (mayPass || this.#taken() !== before) wentOnMs = nowMs;
      await delay(nextLookMs(nowMs - wentOnMs, looks));
    }
  }

  /** Waits until something is so, likewise. */
  async until(what: string, isSo: () => boolean | Promise<boolean>, patience?: Patience): Promise<void> {
    await this.find(what, async () => ((await isSo()) ? true : undefined), patience);
  }

  /** Lets time pass, `roundMs` in each round, until a whole round has brought the controllers nothing to do. */
  async rest(controllers: ControllersAtWork, roundMs: number): Promise<void> {
    const untilAtRest = (): Promise<void> => this.until("the controllers are at rest", () => this.#isAtRest());
    await untilAtRest();
    for (let before = -1; before !== controllers.taken();) {
      before = controllers.taken();
      for (let step = 0; step < restSteps; step += 1) {
        this.#clock.advance(roundMs / restSteps);
        await untilAtRest();
      }
    }
  }

  #taken(): number {
    return [...this.#controllers].reduce((sum, one) => sum + one.taken(), 0);
  }

  #isIdle(): boolean {
    return [...this.#controllers].every((one) => one.isIdle());
  }

  async #isAtRest(): Promise<boolean> {
    const resting = await Promise.all([...this.#controllers].map((one) => one.isAtRest()));
    return resting.every(Boolean);
  }
}
