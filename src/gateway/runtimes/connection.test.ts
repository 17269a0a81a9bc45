import { EventEmitter } from "node:events";
import { setImmediate } from "node:timers/promises";

import { Registry } from "prom-client";
import { expect, it } from "vitest";
import type { WebSocket } from "ws";

import { aSession } from "../../../test/support/builders.ts";
import { closeCodes, protocolTimes } from "../../api/runtime/limits.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { createLogger } from "../../telemetry/logger.ts";
import { defineGatewayMetrics } from "../metrics/gateway-metrics.ts";
import { AgentRefusals } from "../attempts/agent-refusals.ts";
import type { ConnectionDeps } from "./connection-deps.ts";
import { Connection } from "./connection.ts";
import { LeaseTakenError } from "../attempts/held-lease.ts";
import type { AttemptLease } from "../attempts/leases.ts";
import { KubeError } from "../../kube/errors.ts";

/** The gateway's end of a WebSocket. */
class FakeSocket extends EventEmitter {
  readonly OPEN = 1;
  readonly readyState = 1;
  readonly sent: string[] = [];
  readonly closes: number[] = [];

  send = (text: string): void => void this.sent.push(text);
  close = (code: number): void => void this.closes.push(code);
}

const attempt = { sessionUid: "u", session: "s", namespace: "n", attempt: 1, name: "u-1" };
const sandbox = { attempt: 1, podName: "p", createTime: "" };
const hello = { type: "hello", protocol: 1, needsBundle: false, isReady: false, openPrompts: [] };

function connect(claim: () => Promise<AttemptLease>): { clock: FakeClock; socket: FakeSocket } {
  const clock = new FakeClock();
  const socket = new FakeSocket();
  const deps: Partial<ConnectionDeps> = {
    clock,
    logger: createLogger({ process: "gateway", level: "silent" }),
    metrics: defineGatewayMetrics(new Registry(), () => 0),
    leases: { claim },
    openJournal: () => ({ size: 0, storedTo: 0 }) as never,
    session: () => aSession({ metadata: { uid: "u" }, status: { sandbox } }),
  };
  // The rest is for what these tests do not say.
  const progress = { seq: 0, refusals: new AgentRefusals(clock.monotonicMs()) };
  new Connection(socket as unknown as WebSocket, { attempt, progress }, deps as ConnectionDeps);
  return { clock, socket };
}

async function say(socket: FakeSocket, message: object): Promise<void> {
  socket.emit("message", Buffer.from(JSON.stringify(message)), false);
  await setImmediate();
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
  ["another connection of the runtime has the Lease", new LeaseTakenError(), [closeCodes.replaced]],
  ["the Lease is gone", notFound, [closeCodes.tryAgain]],
  ["the API server does not answer", new Error("no answer"), []],
])("goes by what becomes of a heartbeat: %s", async (_why, error, codes) => {
  const lease = { beat: () => Promise.reject(error) } as unknown as AttemptLease;
  const { socket } = connect(() => Promise.resolve(lease));
  await say(socket, hello);
  await say(socket, { type: "heartbeat" });
  expect(socket.closes).toEqual(codes);
});
