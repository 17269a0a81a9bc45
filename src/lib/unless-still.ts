import type { Duplex } from "node:stream";
import type { Clock } from "./clock.ts";

/** Maximum time without data on a stream, in milliseconds. */
export const stillMs = 60_000;

/**
 * Passes on a source that is read from the stream or written to it, and destroys the stream when nothing moves for
 * {@link stillMs}: the other end may have vanished without closing the connection.
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
