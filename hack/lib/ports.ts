import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Below the ports that systems hand out for outgoing connections and that clusters use as node ports: one of those could
 * be gone again between our look and the program's start.
 */
const range = { first: 15_000, last: 29_999 };
const attempts = 200;

/** Finds ports on loopback without a listener; all different. They are free, not reserved. */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  for (let attempt = 0; found.size < count; attempt += 1) {
    if (attempt === attempts + count) throw new Error(`${count} free ports not found in ${attempt} attempts`);
    const port = randomInt(range.first, range.last + 1);
    if (await isFree(port, "127.0.0.1")) found.add(port);
  }
  return [...found];
}

/** Gives `preferred` when no server listens on it on any address, else another free port. */
export async function portNear(preferred: number): Promise<number> {
  if (await isFree(preferred, "0.0.0.0")) return preferred;
  const [port = 0] = await freePorts(1);
  return port;
}

function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host }, () => server.close(() => resolve(true)));
  });
}
