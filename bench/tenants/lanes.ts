/** Does the work again and again in so many lanes for so long; resolves with how often it was done, whatever came of it. */
export async function inLanes(
  lanes: number,
  seconds: number,
  work: (index: number) => Promise<unknown>,
): Promise<number> {
  const endMs = performance.now() + 1_000 * seconds;
  let begun = 0;
  let done = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() < endMs) {
      begun += 1;
      // A refusal is what attackers get.
      await work(begun).catch(() => undefined);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return done;
}

/** Does the work so often, evenly spread over so many seconds, with at most so many under way; resolves with how often it was done in time. */
export async function evenly(
  count: number,
  { seconds, most }: { seconds: number; most: number },
  work: (index: number) => Promise<unknown>,
): Promise<number> {
  const startMs = performance.now();
  const isOver = (): boolean => performance.now() >= startMs + 1_000 * seconds;
  let begun = 0;
  let done = 0;
  const lane = async (): Promise<void> => {
    while (begun < count && !isOver()) {
      const index = begun;
      begun += 1;
      await untilMs(startMs + (1_000 * seconds * index) / count);
      await work(index).catch(() => undefined);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, count) }, lane));
  return done;
}

function untilMs(dueMs: number): Promise<void> {
  const leftMs = dueMs - performance.now();
  return leftMs <= 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, leftMs));
}
