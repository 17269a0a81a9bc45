import { setTimeout as delay } from "node:timers/promises";
import { KubeConfig } from "@kubernetes/client-node";
import { accessFrom } from "../../src/kube/access.ts";
import { KubeClient } from "../../src/kube/client.ts";
import type { ClientHooks } from "../../src/kube/client-options.ts";
import { namespaces } from "./core-resources.ts";
import { nextLookMs } from "./poll.ts";
import { labelsOf, type Place } from "./policies-of-any-release.ts";
import { HttpTransport } from "../../src/kube/http-transport.ts";
import { systemClock } from "../../src/lib/clock.ts";

const reads: ReadonlySet<string> = new Set(["get", "list", "watch"]);
let writeSteps = 0;

/** How often a client of {@link clientOf} in this process has begun or ended a write: the same number, no write between. */
export function writeStepsOfClients(): number {
  return writeSteps;
}

const told = new Set<string>();

/** What is seldom meant, and is all that tells why a test waits in vain. */
function tellOnce(line: string): void {
  if (!told.has(line)) process.stderr.write(line);
  told.add(line);
}

let otherWriters = 0;

/** Others write too, such as a garbage collector, whose writes no client of this process counts, until what is given back is called. */
export function noteOtherWriters(): () => void {
  otherWriters += 1;
  return () => void (otherWriters -= 1);
}

/** Whether {@link writeStepsOfClients} shows every write. */
export function countsAllWrites(): boolean {
  return otherWriters === 0;
}

const countWrites: ClientHooks = {
  refusedByPolicy: ({ policy, message }) => tellOnce(`${policy} refused a write: ${message}\n`),
  beforeWrite: () => void (writeSteps += 1),
  afterRequest: ({ verb }) => void (writeSteps += reads.has(verb) ? 0 : 1),
};

/** A client and what ends its connections. */
export interface Connection {
  client: KubeClient;
  close(): Promise<void>;
}

/** Our own client on the API server of a kubeconfig text or file; what it writes is managed by `tests` or by a process of ours. */
export function clientOf(kubeconfig: { file: string } | { text: string }, fieldManager = "tests"): Connection {
  const config = new KubeConfig();
  if ("file" in kubeconfig) config.loadFromFile(kubeconfig.file);
  else config.loadFromString(kubeconfig.text);
  const transport = new HttpTransport({ access: accessFrom(config), clock: systemClock });
  return {
    client: new KubeClient({ transport, clock: systemClock, fieldManager, hooks: [countWrites] }),
    close: () => transport.close(),
  };
}

/** A namespace that no other test uses; of a release, where it is a place of one. */
export async function newNamespace(client: KubeClient, prefix: string, place?: Place): Promise<string> {
  const name = `${prefix}-${Math.random().toString(36).slice(2, 10)}`;
  await client.create(namespaces, { metadata: { name, labels: labelsOf(place) } });
  return name;
}

/** Waits until something is so; fails with what it is about after `limitMs`. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, limitMs = 240_000): Promise<void> {
  const startMs = performance.now();
  while (!(await isSo())) {
    const waitedMs = performance.now() - startMs;
    if (waitedMs > limitMs) throw new Error(`not within ${limitMs / 1000} s: ${what}`);
    await delay(nextLookMs(waitedMs));
  }
}
