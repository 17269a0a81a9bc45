import type { Duplex } from "node:stream";

/**
 * Pipes two connections into each other. The end of one is passed on after all its data; when one breaks, the other is
 * destroyed.
 */
export function join(one: Duplex, other: Duplex): void {
  flow(one, other);
  flow(other, one);
}

function flow(from: Duplex, to: Duplex): void {
  from.pipe(to);
  from.on("error", () => from.destroy());
  from.once("close", () => {
    if (!from.readableEnded) to.destroy();
  });
  // Unread data must not keep the end from being emitted.
  to.once("close", () => from.resume());
}
