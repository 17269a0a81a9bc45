import type { Clock } from "../../lib/clock.ts";

/** Bytes that have to come in each second of waiting, on average and once {@link graceMs} were waited. */
const leastPerSecond = 16_384;
/** A workspace of many small files takes its time until much comes. */
const graceMs = 600_000;

/** So little comes that a place for a save would be held without end. */
export class TooSlowError extends Error {
  override readonly name = "TooSlowError";

  constructor() {
    super(`the sandbox sent less than ${leastPerSecond / 1_024} KiB a second on average, after the first 10 minutes`);
  }
}

/** Passes on a source that does not come too slowly; time in which the pieces are taken does not count. @throws TooSlowError */
export async function* unlessTooSlow(
  source: AsyncIterable<Uint8Array>,
  clock: Pick<Clock, "monotonicMs">,
): AsyncGenerator<Uint8Array> {
  let [waitedMs, bytes] = [0, 0];
  let sinceMs = clock.monotonicMs();
  for await (const piece of source) {
    waitedMs += clock.monotonicMs() - sinceMs;
    bytes += piece.length;
    if (bytes < ((waitedMs - graceMs) / 1_000) * leastPerSecond) throw new TooSlowError();
    yield piece;
    sinceMs = clock.monotonicMs();
  }
}
