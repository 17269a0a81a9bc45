import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { streamLimits } from "../../api/runtime/limits.ts";
import type { Clock } from "../../lib/clock.ts";
import { sleep } from "../../lib/sleep.ts";

/** Where servers of a pod listen that nobody outside is to reach, of both families: which one `localhost` is, images decide. */
const loopback: readonly string[] = ["127.0.0.1", "::1"];

/** A server that is started again is waited for: so often is it tried, and so many milliseconds lie between. */
export const localTries = { most: 10, apartMs: 100 };

/**
 * A connection to a port of this pod; undefined where nothing listens. Reaches the agent's container too, as the containers of a
 * pod share its network.
 */
export async function connectLocally(
  port: number,
  clock: Pick<Clock, "setTimeout">,
  hosts: readonly string[] = loopback,
): Promise<Socket | undefined> {
  const late = new AbortController();
  const timer = clock.setTimeout(() => late.abort(), streamLimits.dialMs / 2);
  try {
    for (let tried = 1; ; tried += 1) {
      const socket = await connectToFirst(hosts, port, late.signal);
      if (socket || tried === localTries.most) return socket;
      await sleep(clock, localTries.apartMs, late.signal);
    }
  } finally {
    timer.cancel();
  }
}

async function connectToFirst(
  hosts: readonly string[],
  port: number,
  signal: AbortSignal,
): Promise<Socket | undefined> {
  for (const host of hosts) {
    const socket = connect({ host, port });
    try {
      await once(socket, "connect", { signal });
      return socket;
    } catch {
      socket.destroy();
    }
  }
  return undefined;
}
