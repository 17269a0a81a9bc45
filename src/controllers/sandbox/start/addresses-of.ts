import { lookup } from "node:dns/promises";

/** All addresses of a host, sorted. Rejects where its name is unknown. */
export async function addressesOf(hostname: string): Promise<string[]> {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address).sort();
}
