import { EventEmitter } from "node:events";
import { setImmediate } from "node:timers/promises";

import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import type { WebSocket } from "ws";

import { aSession } from "../../../test/support/builders.ts";
import { closeCodes, protocolLimits, protocolTimes } from "../../api/runtime/limits.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { createLogger } from "../../telemetry/logger.ts";
import { defineGatewayMetrics } from "../metrics/gateway-metrics.ts";
import type { ConnectionDeps } from "./connection-deps.ts";
import { Connection } from "./connection.ts";
import { newProgress, type Progress } from "./progress.ts";
import { reportRate } from "./report-rate.ts";
import { HeldLease, LeaseTakenError } from "../attempts/held-lease.ts";
import type { AttemptLease } from "../attempts/leases.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Lease } from "../../kube/core-resources.ts";
import { KubeError } from "../../kube/errors.ts";

/** The gateway's end of a WebSocket. */
class FakeSocket extends EventEmitter {
  readonly OPEN = 1;
  readonly readyState = 1;
  readonly sent: string[] = [];
  readonly closes: number[] = [];

  send = (text: string): void => void this.sent.push(text);
  close = (code: number): void => void this.closes.push(code);
  pause = (): undefined => undefined;
  ping = (): void => queueMicrotask(() => this.emit("pong"));
}

const attempt = { sessionUid: "u", session: "s", namespace: "n", attempt: 1, name: "u-1" };
const sandbox = { attempt: 1, podName: "p", createTime: "" };
const hello = { type: "hello", protocol: 1, needsBundle: false, isReady: false, openPrompts: [] };

function connect(
  claim: (...args: unknown[]) => Promise<AttemptLease>,
  rest: Partial<ConnectionDeps> = {},
): { clock: FakeClock; socket: FakeSocket; connection: Connection; progress: Progress } {
  const clock = new FakeClock();
  const socket = new FakeSocket();
  const deps: Partial<ConnectionDeps> = {
    clock,
    logger: createLogger({ process: "gateway", level: "silent" }),
    metrics: defineGatewayMetrics(new Registry(), () => 0),
    leases: { claim },
    openJournal: () => ({ size: 0, storedTo: 0 }) as never,
    accepts: [],
    session: () => aSession({ metadata: { uid: "u" }, status: { sandbox } }),
    ...rest,
  };
  // The rest is for what these tests do not say.
  const progress = newProgress(clock.monotonicMs());
  const connection = new Connection(socket as unknown as WebSocket, { attempt, progress }, deps as ConnectionDeps);
  return { clock, socket, connection, progress };
}

async function say(socket: FakeSocket, message: object): Promise<void> {
  socket.emit("message", Buffer.from(JSON.stringify(message)), false);
  await setImmediate();
}

/** Time goes on, and pings are answered. */
async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let leftMs = ms; leftMs > 0; leftMs -= 5_000) {
    clock.advance(Math.min(leftMs, 5_000));
    await setImmediate();
  }
}

const notFound = new KubeError({ message: "gone", status: 404, reason: "NotFound", delivery: "received" });

it("closes a connection on which no hello comes in time", () => {
  const { clock, socket } = connect(() => Promise.reject(new Error("never asked for")));
  clock.advance(protocolTimes.helloMs - 1);
  expect(socket.closes).toEqual([]);
  clock.advance(1);
  expect(socket.closes).toEqual([closeCodes.silent]);
});

it("keeps a runtime that has said hello for as long as the API server takes to answer", async () => {
  const lease = Promise.withResolvers<AttemptLease>();
  const { clock, socket } = connect(() => lease.promise);
  await say(socket, hello);
  clock.advance(protocolTimes.helloMs);
  expect(socket.closes).toEqual([]);
  lease.resolve({} as AttemptLease);
  await setImmediate();
  expect(socket.sent.map((text) => (JSON.parse(text) as { type: string }).type)).toContain("welcome");
});

it.each([
  ["another connection of the runtime has the Lease", new LeaseTakenError(), closeCodes.replaced],
  ["the Lease is not to be had", new Error("no answer"), closeCodes.tryAgain],
])("closes a connection when it says hello and %s", async (_why, error, code) => {
  const { socket } = connect(() => Promise.reject(error));
  await say(socket, hello);
  expect(socket.closes).toEqual([code]);
});

it.each([
  { name: "of a young runtime", said: { connection: 1, runningMs: 60_000 }, mayWait: true },
  { name: "of a runtime that has been trying for longer", said: { connection: 1, runningMs: 60_001 }, mayWait: false },
  { name: "of a young runtime from a pool", said: { connection: 1, runningMs: 0 }, pool: "warm", mayWait: false },
  { name: "that is the second one", said: { connection: 2, runningMs: 0 }, mayWait: false },
  { name: "of a runtime that does not count", said: { runningMs: 0 }, mayWait: false },
  { name: "of a runtime that does not say its age", said: { connection: 1 }, mayWait: false },
])("lets the Lease of a connection $name wait: $mayWait", async ({ said, pool, mayWait }) => {
  const asked: unknown[][] = [];
  const claim = (...args: unknown[]): Promise<AttemptLease> => {
    asked.push(args);
    return Promise.resolve({} as AttemptLease);
  };
  const status = { sandbox: { ...sandbox, ...(pool !== undefined && { pool }) } };
  const { socket } = connect(claim, { session: () => aSession({ metadata: { uid: "u" }, status }) });
  await say(socket, { ...hello, ...said });
  expect(asked).toEqual([[attempt, said.connection ?? 0, { mayWait }]]);
});

it.each([
  ["another connection of the runtime has the Lease", new LeaseTakenError(), [closeCodes.replaced]],
  ["the Lease is gone", notFound, [closeCodes.tryAgain]],
  ["the API server does not answer", new Error("no answer"), []],
])("goes by what becomes of a heartbeat: %s", async (_why, error, codes) => {
  const lease = { beat: () => Promise.reject(error), costDueInMs: () => undefined } as unknown as AttemptLease;
  const { socket } = connect(() => Promise.resolve(lease));
  await say(socket, hello);
  await say(socket, { type: "heartbeat" });
  expect(socket.closes).toEqual(codes);
});

it("hands on what boot is at, and the commits of a build", async () => {
  const said: unknown[] = [];
  const lease = { boots: (phase: unknown) => void said.push(phase) } as unknown as AttemptLease;
  const journal = { size: 0, storedTo: 0, add: () => undefined } as never;
  const { socket } = connect(() => Promise.resolve(lease), { openJournal: () => journal });
  const commits = [{ repository: "web", commit: "a".repeat(40) }];
  const phases = [
    { phase: "setup", repository: "web" },
    { phase: "clone", commits },
  ];
  await say(socket, hello);
  for (const [index, phase] of phases.entries()) {
    await say(socket, { type: "event", seq: index + 1, event: { kind: "bootProgress", ...phase } });
  }
  expect(said).toEqual(phases);
});

it("takes the hello of a runtime that has no frames left, and welcomes it when there is room for what it repeats", async () => {
  const { clock, socket, progress } = connect(() => Promise.resolve({} as AttemptLease));
  progress.frames.take(clock.monotonicMs(), protocolLimits.frames.burst);
  await say(socket, hello);
  await pass(clock, 9_599);
  expect(socket.sent).toEqual([]);
  await pass(clock, 1);
  expect(socket.sent.map((text) => (JSON.parse(text) as { type: string }).type)).toEqual(["welcome"]);
  expect(socket.closes).toEqual([]);
});

it("claims nothing for a runtime that has gone while its welcome waits", async () => {
  let claims = 0;
  const claim = (): Promise<AttemptLease> => Promise.resolve({} as AttemptLease).finally(() => (claims += 1));
  const { clock, socket, progress } = connect(claim);
  progress.frames.take(clock.monotonicMs(), protocolLimits.frames.burst);
  await say(socket, hello);
  socket.emit("close");
  await pass(clock, 10_000);
  expect([claims, clock.timers]).toEqual([0, 0]);
});

it("handles 256 reports of an attempt at once and 2 a second, and the others later", async () => {
  const settled: string[] = [];
  let costs = 0;
  const lease = {
    costs: () => undefined,
    storeCost: () => Promise.resolve(void (costs += 1)),
    costDueInMs: () => undefined,
  } as unknown as AttemptLease;
  const journal = { size: 0, storedTo: 999, add: () => undefined, settle: () => Promise.resolve() };
  const settle = (_attempt: unknown, { prompt }: { prompt: { uid: string } }) => {
    settled.push(prompt.uid);
    return Promise.resolve("repeated");
  };
  const { clock, socket } = connect(() => Promise.resolve(lease), {
    openJournal: () => journal as never,
    prompts: { settle } as never,
  });
  await say(socket, hello);
  const sent = reportRate.burst + 5;
  for (let seq = 1; seq <= sent; seq += 1) {
    const outcome = { prompt: { name: "p", uid: `${seq}` }, verdict: "succeeded", usage: { sandboxCostUsd: seq } };
    await say(socket, { type: "promptFinished", seq, outcome });
  }
  expect([settled.length, costs]).toEqual([256, 256]);
  await pass(clock, 499);
  expect(settled.length).toBe(256);
  await pass(clock, 1);
  expect(settled.length).toBe(257);
  for (let halves = 0; halves < 4; halves += 1) await pass(clock, 500);
  expect(settled).toEqual(Array.from({ length: sent }, (_, at) => `${at + 1}`));
  expect(socket.closes).toEqual([]);
});

describe("a report that an admission policy refuses", () => {
  const refusedBy = (policy: string): KubeError =>
    new KubeError({
      status: 403,
      reason: "Forbidden",
      message: `ValidatingAdmissionPolicy '${policy}' with binding '${policy}' denied request: metadata.annotations: no`,
      delivery: "received",
    });

  /** Connects a runtime that has built, where writes of the note meet a policy; what the Lease was told of failures, and what was acknowledged. */
  async function building(policy: string, ofFailure?: Error) {
    const failures: unknown[] = [];
    const tries = { built: 0 };
    const lease = {
      markBuilt() {
        tries.built += 1;
        return Promise.reject(refusedBy(policy));
      },
      markBootFailed(failure: unknown) {
        failures.push(failure);
        return ofFailure ? Promise.reject(ofFailure) : Promise.resolve();
      },
      costDueInMs: () => undefined,
    } as unknown as AttemptLease;
    const journal = { size: 0, storedTo: 9, add: () => undefined, settle: () => Promise.resolve() };
    const made = connect(() => Promise.resolve(lease), {
      release: { name: "rw", namespace: "system" },
      openJournal: () => journal as never,
    });
    await say(made.socket, hello);
    const note = { result: "Built", commits: [], runtimeVersion: 1, architecture: "amd64" };
    await say(made.socket, { type: "built", seq: 1, note: { ...note, secretFiles: [], secretFileCount: 0 } });
    const acknowledged = (): boolean => made.socket.sent.some((text) => text.includes('"ack"'));
    return { ...made, tries, failures, acknowledged };
  }

  const own = "system-rw-gateway-leases";
  const message = `the installed policies are of another version: ${own} refused what the gateway had to write: metadata.annotations: no`;

  it("is tried for a minute, as policies may come with the upgrade that is under way, and ends the boot then", async () => {
    const { clock, failures, tries, acknowledged } = await building(own);
    await pass(clock, 59_999);
    expect(tries.built).toBeGreaterThan(1);
    expect(failures).toEqual([]);
    await pass(clock, 5_000);
    expect(failures).toEqual([{ phase: "agent", reason: "PolicyMismatch", message }]);
    expect(acknowledged()).toBe(true);
  });

  it("is acknowledged where the end of the boot is refused, too", async () => {
    const { clock, acknowledged } = await building(own, refusedBy(own));
    await pass(clock, 65_000);
    expect(acknowledged()).toBe(true);
  });

  it("is not forgotten where the end of the boot could not be written yet", async () => {
    const { clock, failures, acknowledged } = await building(own, new Error("no answer"));
    await pass(clock, 75_000);
    expect(failures.length).toBeGreaterThan(1);
    expect(acknowledged()).toBe(false);
  });

  it("is tried on where the policy is not the release's: who wrote it can change it", async () => {
    const { clock, failures, tries } = await building("require-labels");
    await pass(clock, 600_000);
    expect(tries.built).toBeGreaterThan(100);
    expect(failures).toEqual([]);
  });
});

describe("what a sandbox costs", () => {
  /** A real Lease's rules, and an API server that takes every write, or none while `isAway`. */
  async function spending(
    hasCostLimit: boolean,
  ): Promise<ReturnType<typeof connect> & { written: string[]; api: { isAway: boolean } }> {
    const written: string[] = [];
    const api = { isAway: false };
    const stored = (annotations: Record<string, string>): Lease => ({
      metadata: { name: "u-1", annotations: { ...annotations, "runwright.dev/connection": "1" } },
      spec: { holderIdentity: "gateway_1" },
    });
    const patch = (_resource: unknown, _key: unknown, { metadata }: Lease): Promise<Lease> => {
      if (api.isAway) return Promise.reject(new Error("no answer"));
      const cost = metadata.annotations?.["runwright.dev/cost-usd"] ?? "";
      written.push(cost);
      return Promise.resolve(stored({ "runwright.dev/cost-usd": cost }));
    };
    const claim = { holder: "gateway_1", connection: 1 };
    const made = connect(
      () => {
        const client = { patch } as unknown as KubeClient;
        return Promise.resolve(new HeldLease({ client, clock: made.clock }, claim, stored({})));
      },
      { hasCostLimit: () => hasCostLimit },
    );
    await say(made.socket, hello);
    return { ...made, written, api };
  }

  it.each([
    { name: "with a limit", hasCostLimit: true, everyMs: 4_000 },
    { name: "without one", hasCostLimit: false, everyMs: 60_000 },
  ])("is written $name at most each $everyMs ms, the newest of it", async ({ hasCostLimit, everyMs }) => {
    const { clock, socket, written } = await spending(hasCostLimit);
    await say(socket, { type: "usage", costUsd: 0.25 });
    await pass(clock, everyMs - 1);
    await say(socket, { type: "usage", costUsd: 0.5 });
    expect(written).toEqual([]);
    await pass(clock, 1);
    expect(written).toEqual(["0.5"]);
    await say(socket, { type: "usage", costUsd: 0.75 });
    await pass(clock, everyMs - 1);
    expect(written).toEqual(["0.5"]);
    await pass(clock, 1);
    expect(written).toEqual(["0.5", "0.75"]);
  });

  it("is written at once when nothing was for long, and not again when it has not grown", async () => {
    const { clock, socket, written } = await spending(true);
    await pass(clock, 10_000);
    for (const costUsd of [0.5, 0.5, 0.25]) {
      await say(socket, { type: "usage", costUsd });
      await pass(clock, 10_000);
    }
    expect(written).toEqual(["0.5"]);
  });

  it("is written later when a write fails", async () => {
    const { clock, socket, written, api } = await spending(true);
    api.isAway = true;
    await say(socket, { type: "usage", costUsd: 0.5 });
    await pass(clock, 4_000);
    api.isAway = false;
    await pass(clock, 3_999);
    expect(written).toEqual([]);
    await pass(clock, 1);
    expect(written).toEqual(["0.5"]);
  });

  it("is written when the connection ends, as the sandbox may be lost", async () => {
    const { socket, written } = await spending(false);
    await say(socket, { type: "usage", costUsd: 0.5 });
    socket.emit("close");
    await setImmediate();
    expect(written).toEqual(["0.5"]);
  });

  it.each([-1, "0.5", 1_000_000.1])("is not %j: that is no message", async (costUsd) => {
    const { socket } = await spending(true);
    await say(socket, { type: "usage", costUsd });
    expect(socket.closes).toEqual([closeCodes.malformed]);
  });

  it.each([
    { settlement: "settled", want: [] },
    { settlement: "late", want: ["0.75"] },
    { settlement: "repeated", want: ["0.75"] },
    { settlement: "ignored", want: ["0.75"] },
  ] as const)("is written at once with an outcome that is $settlement: $want", async ({ settlement, want }) => {
    const written: string[] = [];
    const usage = { costUsd: 0.5, sandboxCostUsd: 0.75 };
    let costUsd: number | undefined;
    const lease = {
      costs: (amount: number) => (costUsd = amount),
      storeCost: () => Promise.resolve(void written.push(String(costUsd))),
      costDueInMs: () => undefined,
    } as unknown as AttemptLease;
    const journal = { size: 0, storedTo: 0, add: () => undefined, settle: () => Promise.resolve() };
    const { socket } = connect(() => Promise.resolve(lease), {
      prompts: { settle: () => Promise.resolve(settlement), content: () => Promise.resolve(undefined) },
      openJournal: () => journal as never,
    });
    await say(socket, hello);
    const outcome = { prompt: { name: "p", uid: "p" }, verdict: "cancelled", usage };
    await say(socket, { type: "promptFinished", seq: 1, outcome });
    await setImmediate();
    expect(written).toEqual(want);
  });
});
