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
import type { AttemptLease } from "../attempts/leases.ts";

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

function connect(open: () => Promise<AttemptLease>): { clock: FakeClock; socket: FakeSocket } {
  const clock = new FakeClock();
  const socket = new FakeSocket();
  const deps: Partial<ConnectionDeps> = {
    clock,
    logger: createLogger({ process: "gateway", level: "silent" }),
    metrics: defineGatewayMetrics(new Registry(), () => 0),
    leases: { open },
    openJournal: () => ({ size: 0, storedTo: 0 }) as never,
    session: () => aSession({ metadata: { uid: "u" }, status: { sandbox } }),
  };
  // The rest is for what these tests do not say.
  const progress = { seq: 0, refusals: new AgentRefusals(clock.monotonicMs()) };
  new Connection(socket as unknown as WebSocket, { attempt, progress }, deps as ConnectionDeps);
  return { clock, socket };
}

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
  socket.emit("message", Buffer.from(JSON.stringify(hello)), false);
  clock.advance(protocolTimes.helloMs);
  expect(socket.closes).toEqual([]);
  lease.resolve({} as AttemptLease);
  await setImmediate();
  expect(socket.sent.map((text) => (JSON.parse(text) as { type: string }).type)).toContain("welcome");
});

it("renews the Lease at most each 10 s, however often the runtime beats", async () => {
  let renewals = 0;
  const lease = { renew: () => Promise.resolve(void (renewals += 1)) } as AttemptLease;
  const { clock, socket } = connect(() => Promise.resolve(lease));
  const say = async (message: object): Promise<void> => {
    socket.emit("message", Buffer.from(JSON.stringify(message)), false);
    await setImmediate();
  };
  await say(hello);
  const renewedBy = async (elapsedMs: number): Promise<number> => {
    clock.advance(elapsedMs);
    for (let count = 0; count < 50; count += 1) await say({ type: "heartbeat" });
    return renewals;
  };
  expect(await renewedBy(0)).toBe(1);
  expect(await renewedBy(9_999)).toBe(1);
  expect(await renewedBy(1)).toBe(2);
  expect(socket.closes).toEqual([]);
});
