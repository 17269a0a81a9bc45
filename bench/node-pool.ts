// The bare Node pool: raw creates through undici, by ready-made text around a name. One JSON document on standard output.
//
//   node bench/node-pool.ts KUBECONFIG OBJECT IN_FLIGHT SECONDS
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { KubeConfig } from "@kubernetes/client-node";
import { Pool } from "undici";

import { accessFrom } from "../src/kube/access.ts";
import type { Measured } from "./measured.ts";

const [kubeconfig = "", objectFile = "", inFlight = "1", seconds = "5"] = process.argv.slice(2);
const config = new KubeConfig();
config.loadFromFile(kubeconfig);
const access = accessFrom(config);
const { tls, headers } = await access.credentials();
const pool = new Pool(access.server, { connections: Number(inFlight), pipelining: 1, connect: { ...tls } });
const object = JSON.parse(readFileSync(objectFile, "utf8")) as { metadata: { name: string; namespace: string } };
const { name, namespace } = object.metadata;
const [before = "", after = ""] = JSON.stringify(object).split(JSON.stringify(name));
const path = `/apis/runwright.dev/v1alpha1/namespaces/${namespace}/runs`;
const latencies: number[] = [];
const failures: Record<string, number> = {};

const startMs = performance.now();
const endMs = startMs + 1_000 * Number(seconds);
const cpuBefore = process.cpuUsage();
await Promise.all(Array.from({ length: Number(inFlight) }, work));
const elapsedSeconds = (performance.now() - startMs) / 1_000;
const { user, system } = process.cpuUsage(cpuBefore);
await pool.close();
const sorted = latencies.toSorted((a, b) => a - b);
const measured: Measured = {
  count: sorted.length,
  failures,
  perSecond: sorted.length / elapsedSeconds,
  p50Ms: sorted[Math.floor(0.5 * (sorted.length - 1))] ?? 0,
  p99Ms: sorted[Math.floor(0.99 * (sorted.length - 1))] ?? 0,
  cpuMs: (user + system) / 1_000 / Math.max(1, sorted.length),
};
process.stdout.write(`${JSON.stringify(measured)}\n`);

async function work(): Promise<void> {
  while (performance.now() < endMs) {
    const beganMs = performance.now();
    const body = `${before}"${name}-${randomBytes(8).toString("hex")}"${after}`;
    const sent = { path, method: "POST" as const, headers: { ...headers, "content-type": "application/json" }, body };
    const { statusCode, body: answer } = await pool.request(sent);
    await answer.dump();
    if (statusCode === 201) latencies.push(performance.now() - beganMs);
    else failures[statusCode] = (failures[statusCode] ?? 0) + 1;
  }
}
