import { readFile } from "node:fs/promises";

import { Pool } from "undici";

import type { Deliveries } from "../measure.ts";
import type { Files } from "../world.ts";

interface Target {
  url: string;
  key: string;
}

const inFlight = 16;

/** Posts so many deliveries to an ingress, 16 at a time; gives the seconds that it took. Throws for an answer other than wanted. */
export async function sendDeliveries(
  ingressUrl: string,
  files: Files,
  kind: Deliveries,
  count: number,
): Promise<number> {
  const targets = JSON.parse(await readFile(files[kind.targets], "utf8")) as Target[];
  const body = await readFile(files[kind.body], "utf8");
  const pool = new Pool(ingressUrl, { connections: inFlight, pipelining: 1 });
  let begun = 0;
  async function work(): Promise<void> {
    while (begun < count) {
      const target = targets[begun % targets.length];
      begun += 1;
      if (target) await post(pool, target, { kind, body });
    }
  }
  const startMs = performance.now();
  try {
    await Promise.all(Array.from({ length: inFlight }, work));
  } finally {
    await pool.close();
  }
  return (performance.now() - startMs) / 1_000;
}

async function post(
  pool: Pool,
  { url, key }: Target,
  { kind, body }: { kind: Deliveries; body: string },
): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const answer = await pool.request({ path: new URL(url).pathname, method: "POST", headers, body });
  const text = await answer.body.text();
  if (answer.statusCode === kind.wantStatus && text.includes(kind.wantText)) return;
  throw new Error(`the ingress answered ${answer.statusCode} ${text}, not ${kind.wantStatus} with ${kind.wantText}`);
}
