import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { sleep } from "../../src/lib/sleep.ts";
import { percentile, rounded } from "../statistics.ts";

/** How often something is sent, and for how long. */
export interface Pace {
  perSecond: number;
  seconds: number;
}

/** What became of one thing that was sent. */
export interface Sample {
  ms: number;
  isRight: boolean;
}

export interface Figures {
  count: number;
  p50Ms: number;
  p99Ms: number;
  longestMs: number;
  /** What ended in another way than wanted; the times are of these, too. */
  failures: number;
}

/**
 * Sends at a pace, each when its time has come whatever became of earlier ones. `send` gives whether it ended as wanted; one that
 * throws did not.
 */
export async function atPace(
  { perSecond, seconds }: Pace,
  send: () => Promise<boolean>,
  clock: Pick<Clock, "monotonicMs" | "setTimeout"> = systemClock,
): Promise<Sample[]> {
  const timed = async (): Promise<Sample> => {
    const startMs = clock.monotonicMs();
    const isRight = await send().catch(() => false);
    return { ms: clock.monotonicMs() - startMs, isRight };
  };
  const beginMs = clock.monotonicMs();
  const sent: Promise<Sample>[] = [];
  for (let index = 0; index < perSecond * seconds; index += 1) {
    const waitMs = beginMs + (index * 1_000) / perSecond - clock.monotonicMs();
    if (waitMs > 0) await sleep(clock, waitMs);
    sent.push(timed());
  }
  return Promise.all(sent);
}

export function figuresOf(samples: readonly Sample[]): Figures {
  const times = samples.map(({ ms }) => ms);
  return {
    count: samples.length,
    p50Ms: rounded(percentile(times, 0.5)),
    p99Ms: rounded(percentile(times, 0.99)),
    longestMs: rounded(percentile(times, 1)),
    failures: samples.filter(({ isRight }) => !isRight).length,
  };
}

/** How many times as long the p99 is as the baseline's. */
export function ratioTo(baseline: Pick<Figures, "p99Ms">, { p99Ms }: Pick<Figures, "p99Ms">): number {
  return rounded(p99Ms / baseline.p99Ms);
}
