import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { configMaps, leases } from "../../../src/kube/core-resources.ts";
import { testCluster } from "../../support/cluster.ts";
import { type FaultProxy, startFaultProxy } from "../../support/fault-proxy.ts";
import { clientOf, newNamespace, until } from "../../support/kube.ts";

/** Of leases that are to run out, and of one that cannot within any test. */
const shortLease = { seconds: 3 };
const longLease = { seconds: 600 };

interface Candidate {
  process: ChildProcess;
  /** When it said this, in wall-clock milliseconds; undefined while it has not. */
  said(what: "leading" | "lost" | "refused"): number | undefined;
  exitCode(): number | null;
}

let direct: ReturnType<typeof clientOf>;
let proxy: FaultProxy;
let folder: string;
let namespace: string;
const candidates: Candidate[] = [];

beforeAll(async () => {
  direct = clientOf({ file: testCluster().kubeconfig });
  folder = await mkdtemp(join(tmpdir(), "runwright-leaders-"));
});

beforeEach(async () => {
  proxy = await startFaultProxy(testCluster());
  namespace = await newNamespace(direct.client, "leaders");
});

afterEach(async () => {
  for (const candidate of candidates.splice(0)) candidate.process.kill("SIGKILL");
  await proxy.close();
});

afterAll(async () => {
  await direct.close();
  await rm(folder, { recursive: true, force: true });
});

function aCandidate(identity: string, { seconds } = shortLease, kubeconfig = testCluster().kubeconfig): Candidate {
  const script = fileURLToPath(new URL("leader-candidate.ts", import.meta.url));
  const child = spawn(process.execPath, [script, kubeconfig, namespace, identity, `${seconds}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const candidate: Candidate = {
    process: child,
    said(what) {
      const at = new RegExp(`^${what} (\\d+)$`, "m").exec(output)?.[1];
      return at === undefined ? undefined : Number(at);
    },
    exitCode: () => child.exitCode,
  };
  candidates.push(candidate);
  return candidate;
}

/** The last thing that a candidate wrote while it led. */
async function lastWrite(identity: string): Promise<{ count: number; atMs: number }> {
  const written = await direct.client.get(configMaps, { namespace, name: `written-by-${identity}` });
  return { count: Number(written.data?.count), atMs: Number(written.data?.at) };
}

async function leads(candidate: Candidate, identity: string): Promise<void> {
  await until(`${identity} leads and writes`, async () => {
    if (candidate.said("leading") === undefined) return false;
    return (await direct.client.find(configMaps, { namespace, name: `written-by-${identity}` })) !== undefined;
  });
}

it("has one leader, for longer than a lease", async () => {
  const one = aCandidate("one");
  await leads(one, "one");
  const two = aCandidate("two");
  const untilMs = Date.now() + shortLease.seconds * 1_000 + 1_000;
  await until("one has led for longer than a lease", async () => (await lastWrite("one")).atMs > untilMs);
  expect(two.said("leading")).toBeUndefined();
});

it("hands over before its lease runs out when it ends in order", async () => {
  const one = aCandidate("one", longLease);
  await leads(one, "one");
  const two = aCandidate("two", longLease);
  one.process.kill("SIGTERM");
  await leads(two, "two");
  expect((await lastWrite("one")).atMs).toBeLessThanOrEqual(two.said("leading") ?? 0);
});

it("lets a leader that was frozen write nothing more when it wakes", async () => {
  const one = aCandidate("one");
  await leads(one, "one");
  const two = aCandidate("two");
  one.process.kill("SIGUSR2");
  await leads(two, "two");
  const before = await lastWrite("one");
  const takenOver = await direct.client.get(leases, { namespace, name: "leader" });
  one.process.kill("SIGCONT");
  await until("the first ends", () => one.exitCode() !== null);
  expect([one.exitCode(), await lastWrite("one")]).toEqual([3, before]);
  const lease = await direct.client.get(leases, { namespace, name: "leader" });
  expect([takenOver.spec?.holderIdentity, lease.spec?.holderIdentity]).toEqual(["two", "two"]);
});

it("ends a leader that lost the API server before another begins", async () => {
  const kubeconfig = join(folder, "through-proxy");
  await writeFile(kubeconfig, proxy.kubeconfig());
  const one = aCandidate("one", shortLease, kubeconfig);
  await leads(one, "one");
  const two = aCandidate("two");
  proxy.decide(() => ({ kind: "refuse" }));
  await leads(two, "two");
  await until("the first ends", () => one.exitCode() !== null);
  const lostMs = one.said("lost") ?? one.said("refused") ?? Infinity;
  expect(one.exitCode()).toBe(3);
  expect(lostMs).toBeLessThan(two.said("leading") ?? 0);
  expect((await lastWrite("one")).atMs).toBeLessThan(lostMs);
});
