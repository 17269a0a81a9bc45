import type { Duplex } from "node:stream";
import type { Clock } from "./clock.ts";

/** How long nothing may move on a stream, in milliseconds. */
export const stillMs = 60_000;

/**
 * The source, which comes from the stream or goes into it; the stream is destroyed when the next piece is neither there
 * nor wanted for {@link stillMs}. The other end may be gone without a word.
 */
export async function* unlessStill(
  source: AsyncIterable<Uint8Array>,
  { stream, clock }: { stream: Pick<Duplex, "destroy">; clock: Pick<Clock, "setTimeout"> },
): AsyncGenerator<Uint8Array> {
  const late = (): void => void stream.destroy(new Error(`nothing moved for ${stillMs / 1_000} s`));
  let timer = clock.setTimeout(late, stillMs);
  const moved = (): void => {
    timer.cancel();
    timer = clock.setTimeout(late, stillMs);
  };
  try {
    for await (const piece of source) {
      moved();
      yield piece;
      moved();
    }
  } finally {
    timer.cancel();
  }
}
