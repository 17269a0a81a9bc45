import { IncomingMessage } from "node:http";
import { Socket } from "node:net";

import { expect, it } from "vitest";

import { Refusal } from "../../domain/deliveries/refusal.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { UnprovenBody } from "./unproven-body.ts";
import { BytePace } from "../../lib/byte-pace.ts";

const freeBytes = 65_536;
const refusal = new Refusal({ code: "WrongKey", message: "no" });

/** A body where so many bytes may be read at once, and 1,000 a second. */
function setUp(burst: number) {
  const clock = new FakeClock();
  const unproven = new BytePace(clock, { burst, perSecond: 1_000 });
  const request = new IncomingMessage(new Socket());
  Object.assign(request, { headers: { "content-length": "500" } });
  return { clock, unproven, request, body: new UnprovenBody({ unproven, key: "a", clock }) };
}

/** Whether it is fulfilled already. */
async function isDone(work: Promise<unknown> | undefined): Promise<boolean> {
  return Promise.race([Promise.resolve(work).then(() => true), new Promise<false>((no) => setImmediate(no, false))]);
}

it.each([
  { bytes: freeBytes + 10, waits: false },
  { bytes: freeBytes + 11, waits: true },
])("a body of $bytes bytes waits where 10 may be read beside the free ones: $waits", ({ bytes, waits }) => {
  const { body } = setUp(10);
  expect(body.add(freeBytes - 1)).toBeUndefined();
  expect(body.add(bytes - freeBytes + 1) !== undefined).toBe(waits);
});

it("waits until what it took is paid", async () => {
  const { body, clock } = setUp(10);
  const held = body.add(freeBytes + 110);
  clock.advance(99);
  expect(await isDone(held)).toBe(false);
  clock.advance(1);
  expect(await isDone(held)).toBe(true);
});

it("waits for 5 s in all, and is refused where that is not enough", async () => {
  const { body, clock } = setUp(10);
  const first = body.add(freeBytes + 4_010);
  clock.advance(4_000);
  await first;
  const second = body.add(1_000);
  clock.advance(1_000);
  await second;
  const third = body.add(1);
  clock.advance(0);
  await expect(third).rejects.toMatchObject({ code: "Unavailable", why: "unproven-bytes", retryAfterSeconds: 2 });
});

it("gives back what was proven", async () => {
  const { body, request, unproven } = setUp(10);
  await body.prove(request, () => {
    void body.add(freeBytes + 10);
    return Promise.resolve(Buffer.alloc(0));
  });
  expect(unproven.take("a", 10)).toBe(0);
});

it("refuses once the bytes that are discarded are paid, and reads nothing meanwhile", async () => {
  const { body, request, clock } = setUp(400);
  const refused = body.prove(request, () => Promise.reject(refusal));
  const outcome = expect(refused).rejects.toBe(refusal);
  await isDone(undefined);
  expect([request.isPaused(), clock.timers]).toEqual([true, 1]);
  clock.advance(100);
  await outcome;
  expect(request.isPaused()).toBe(false);
});

it.each([
  { name: "whose body has arrived", complete: true, error: refusal },
  { name: "whose discarded bytes are within the limit", complete: false, error: refusal, burst: 500 },
  { name: "that ended by a fault of our own", complete: false, error: new Error("bug") },
])("a request $name is refused at once", async ({ complete, error, burst = 0 }) => {
  const { body, request, clock } = setUp(burst);
  Object.assign(request, { complete });
  await expect(body.prove(request, () => Promise.reject(error))).rejects.toBe(error);
  expect(clock.timers).toBe(0);
});
