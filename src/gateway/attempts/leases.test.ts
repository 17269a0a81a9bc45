import { beforeEach, expect, it } from "vitest";

import type { EventsLeftOut } from "../../api/runtime/events-left-out.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Lease } from "../../kube/core-resources.ts";
import { KubeError } from "../../kube/errors.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { createLogger } from "../../telemetry/logger.ts";
import { AttemptLeases } from "./leases.ts";

const attempt = { sessionUid: "u", attempt: 1, namespace: "demo", session: "fix", name: "u-1" };
const used: EventsLeftOut = { bound: "namespace", message: "2 of 2 bytes" };
const full: EventsLeftOut = { bound: "session", message: "64 MiB" };

/** The Lease as the API server has it. */
let stored: Lease | undefined;
let writes: number;
/** What the next patches are answered with. */
let failures: KubeError[];
let leases: AttemptLeases;

beforeEach(async () => {
  [stored, writes, failures] = [undefined, 0, []];
  leases = new AttemptLeases({
    client: fakeClient(),
    bundles: { secret: () => Promise.resolve({ metadata: { name: "u-1", uid: "s" } }) },
    clock: new FakeClock(),
    logger: createLogger({ process: "gateway", level: "fatal" }),
    namespace: "sessions",
    identity: { current: "here" },
    goesOn: () => true,
  });
  await leases.claim(attempt, 1);
  writes = 0;
});

function fakeClient(): KubeClient {
  const write = (lease: Lease): Promise<Lease> => {
    stored = { ...lease, metadata: { ...lease.metadata, resourceVersion: String((writes += 1)) } };
    return Promise.resolve(stored);
  };
  const read = (): Promise<Lease | undefined> => Promise.resolve(stored);
  const patch = (_: object, __: object, { metadata, spec }: Lease): Promise<Lease> => {
    const failure = failures.shift();
    if (failure) return Promise.reject(failure);
    const annotations = { ...stored?.metadata.annotations, ...metadata.annotations };
    return write({ metadata: { ...stored?.metadata, annotations }, spec: { ...stored?.spec, ...spec } });
  };
  return { find: read, get: read, create: (_: object, lease: Lease) => write(lease), patch } as unknown as KubeClient;
}

function noted(): string | undefined {
  return stored?.metadata.annotations?.["runwright.dev/events-left-out"];
}

function failed(status: number): KubeError {
  return new KubeError({ message: "failed", status, reason: "Failed", delivery: "received" });
}

it("notes at once, and once for each cause, that events were left out", async () => {
  await leases.leftOut(attempt, used);
  expect([noted(), writes]).toEqual([JSON.stringify(used), 1]);
  await leases.leftOut(attempt, { ...used, message: "3 of 2 bytes" });
  await leases.noteSilence();
  expect([noted(), writes]).toEqual([JSON.stringify(used), 1]);
  await leases.leftOut(attempt, full);
  expect([noted(), writes]).toEqual([JSON.stringify(full), 2]);
});

it.each([
  { name: "a conflict", status: 409, times: 1, isNotedAtOnce: true },
  { name: "four conflicts", status: 409, times: 4, isNotedAtOnce: true },
  { name: "five conflicts", status: 409, times: 5, isNotedAtOnce: false },
  { name: "an API server that is away", status: 503, times: 1, isNotedAtOnce: false },
])("after $name it is noted, at the next renewal at the latest", async ({ status, times, isNotedAtOnce }) => {
  failures = Array.from({ length: times }, () => failed(status));
  await leases.leftOut(attempt, used);
  expect(noted() !== undefined).toBe(isNotedAtOnce);
  await leases.noteSilence();
  expect([noted(), writes]).toEqual([JSON.stringify(used), 1]);
});

it("notes nothing of a runtime that another replica has", async () => {
  leases.drop();
  await leases.leftOut(attempt, used);
  expect([noted(), writes]).toEqual([undefined, 0]);
});
