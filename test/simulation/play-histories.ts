import type { Played } from "./played.ts";
import { Threads } from "./threads.ts";

export interface HistoriesOptions {
  /** First seed. */
  from?: number;
  count: number;
  steps?: number;
  /** Name of a planted bug. */
  bug?: string | undefined;
  /** Called at the end of each, in no order. */
  onPlayed?: (played: Played) => void;
}

/** Plays histories of many seeds in as many threads as there are processors; the results in the order of seeds. */
export async function playHistories(options: HistoriesOptions): Promise<Played[]> {
  const { from = 1, count, steps = 500, bug, onPlayed } = options;
  const results: Played[] = [];
  let next = from;
  const threads = new Threads();
  const lanes = Array.from({ length: threads.count }, async () => {
    while (next < from + count) {
      const result = await threads.play({ seed: next++, steps, bug });
      results.push(result);
      onPlayed?.(result);
    }
  });
  await Promise.all(lanes);
  await threads.end();
  return results.sort((one, other) => one.seed - other.seed);
}
