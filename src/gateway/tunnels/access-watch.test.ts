import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";

import { expect, it } from "vitest";
import { FakeClock } from "../../lib/fake-clock.ts";
import { ApiError } from "../http/errors.ts";
import { askAgainMs, endWithAccess, longestTunnelMs, recheckMs } from "./access-watch.ts";

function aTunnel(...answers: (Error | undefined)[]): {
  clock: FakeClock;
  connection: PassThrough;
  asked: () => number;
} {
  const clock = new FakeClock();
  const connection = new PassThrough();
  let asked = 0;
  endWithAccess(clock, connection, () => {
    const answer = answers[asked];
    asked += 1;
    return answer ? Promise.reject(answer) : Promise.resolve();
  });
  return { clock, connection, asked: () => asked };
}

async function pass(clock: FakeClock, ms: number): Promise<void> {
  clock.advance(ms);
  await setImmediate();
}

it("asks every 5 minutes, and never before", async () => {
  const { clock, asked } = aTunnel();
  await pass(clock, recheckMs - 1);
  expect(asked()).toBe(0);
  await pass(clock, 1);
  expect(asked()).toBe(1);
  await pass(clock, recheckMs);
  expect(asked()).toBe(2);
});

it.each([
  ["the right was taken", new ApiError("Forbidden", "no"), true],
  ["the caller is unknown", new ApiError("Unauthorized", "no"), true],
  ["the namespace is no longer served", new ApiError("NotFound", "no"), true],
  ["too many ask at once", new ApiError("Busy", "later"), false],
  ["the API server does not answer", new Error("connect ECONNREFUSED"), false],
])("after an answer that %s (%s) it is destroyed: %s", async (_name, answer, want) => {
  const { clock, connection, asked } = aTunnel(undefined, answer);
  await pass(clock, recheckMs);
  expect(connection.destroyed).toBe(false);
  await pass(clock, recheckMs);
  expect(connection.destroyed).toBe(want);
  await pass(clock, recheckMs);
  expect(asked()).toBe(want ? 2 : 3);
});

it.each([
  ["too many ask at once", new ApiError("Busy", "later")],
  ["the API server does not answer", new Error("connect ECONNREFUSED")],
])("where %s it asks again soon, until there is an answer", async (_name, answer) => {
  const { clock, connection, asked } = aTunnel(answer, answer, undefined, new ApiError("Forbidden", "no"));
  await pass(clock, recheckMs);
  await pass(clock, askAgainMs - 1);
  expect(asked()).toBe(1);
  await pass(clock, 1);
  expect(asked()).toBe(2);
  await pass(clock, askAgainMs);
  expect(asked()).toBe(3);
  await pass(clock, recheckMs - 1);
  expect([asked(), connection.destroyed]).toEqual([3, false]);
  await pass(clock, 1);
  expect([asked(), connection.destroyed]).toEqual([4, true]);
});

it.each([
  [longestTunnelMs - 1, false],
  [longestTunnelMs, true],
])("is destroyed after 8 hours: %d ms: %s", async (afterMs, want) => {
  const { clock, connection } = aTunnel();
  await pass(clock, afterMs);
  expect(connection.destroyed).toBe(want);
});

it("asks nothing once the connection has closed", async () => {
  const { clock, connection, asked } = aTunnel();
  connection.destroy();
  await new Promise((resolve) => connection.once("close", resolve));
  await pass(clock, longestTunnelMs);
  expect(asked()).toBe(0);
});

it("asks nothing of a connection that had closed before", async () => {
  const [clock, connection] = [new FakeClock(), new PassThrough().destroy()];
  await new Promise((resolve) => connection.once("close", resolve));
  let asked = 0;
  endWithAccess(clock, connection, () => Promise.resolve(void (asked += 1)));
  await pass(clock, recheckMs);
  expect([asked, clock.timers]).toEqual([0, 0]);
});
