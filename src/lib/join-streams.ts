import type { Duplex } from "node:stream";

/**
 * Lets two connections flow into each other. The end of one is passed on behind all that came before it; when one
 * breaks, so does the other.
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
  // What nobody takes any more must not keep the end from being seen.
  to.once("close", () => from.resume());
}
