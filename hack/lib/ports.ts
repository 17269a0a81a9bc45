import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Below the ports that systems hand out for outgoing connections and that clusters use as node ports: one of those could
 * be gone again between our look and the program's start.
 */
const range = { first: 15_000, last: 29_999 };
const attempts = 200;

const draw = (): number => randomInt(range.first, range.last + 1);

/**
 * Finds ports on which no program listens, whatever its address; all different. They are free, not reserved. `drawPort` gives the
 * ports to try.
 */
export async function freePorts(count: number, drawPort = draw): Promise<number[]> {
  const found = new Set<number>();
  for (let attempt = 0; found.size < count; attempt += 1) {
    if (attempt === attempts + count) throw new Error(`${count} free ports not found in ${attempt} attempts`);
    const port = drawPort();
    if (await isFree(port)) found.add(port);
  }
  return [...found];
}

/** Gives `preferred` when no program listens on it, else another free port. */
export async function portNear(preferred: number): Promise<number> {
  if (await isFree(preferred)) return preferred;
  const [port = 0] = await freePorts(1);
  return port;
}

/** Some systems let a program listen on all addresses beside one on loopback, so both are tried. */
async function isFree(port: number): Promise<boolean> {
  return (await canListen({ port })) && (await canListen({ port, host: "127.0.0.1" }));
}

/** Without a host it is all addresses, of IPv6 too where there is any. */
function canListen(place: { port: number; host?: string }): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(place, () => server.close(() => resolve(true)));
  });
}
