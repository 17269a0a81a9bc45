import { expect, it } from "vitest";

import { FakeClock } from "../../lib/fake-clock.ts";
import { FreshReads } from "./fresh-reads.ts";

/** Reads that the test answers one by one; each gives the number of the read. */
function world() {
  const clock = new FakeClock();
  const pending: PromiseWithResolvers<number>[] = [];
  const reads = new FreshReads<number>(clock, () => {
    const read = Promise.withResolvers<number>();
    pending.push(read);
    return read.promise;
  });
  const answer = async (at: number): Promise<void> => {
    pending[at]?.resolve(at);
    await pending[at]?.promise;
  };
  return { clock, pending, reads, answer };
}

it("shares the read under way and then its value", async () => {
  const { pending, reads, answer } = world();
  const both = [reads.read("a"), reads.read("a")];
  expect(pending).toHaveLength(1);
  await answer(0);
  expect([await both[0], await both[1]]).toEqual([0, 0]);
  expect(reads.read("a")).toBe(0);
  void reads.read("b");
  expect(pending).toHaveLength(2);
});

it("uses a value until 1,000 ms after its read began", async () => {
  const { clock, pending, reads, answer } = world();
  void reads.read("a");
  clock.advance(300);
  await answer(0);
  clock.advance(700);
  expect(reads.read("a")).toBe(0);
  clock.advance(1);
  // The read that the last use began when the value was past its middle.
  expect(pending).toHaveLength(2);
  const next = reads.read("a");
  await answer(1);
  expect(await next).toBe(1);
});

it("begins the next read past 500 ms, once, while the value is still used", async () => {
  const { clock, pending, reads, answer } = world();
  void reads.read("a");
  await answer(0);
  clock.advance(500);
  expect(reads.read("a")).toBe(0);
  expect(pending).toHaveLength(1);
  clock.advance(1);
  expect([reads.read("a"), reads.read("a")]).toEqual([0, 0]);
  expect(pending).toHaveLength(2);
  await answer(1);
  expect(reads.read("a")).toBe(1);
});

it("gives no caller a read that began more than 1,000 ms before the call", async () => {
  const { clock, pending, reads, answer } = world();
  const early = reads.read("a");
  clock.advance(1_000);
  const inTime = reads.read("a");
  clock.advance(1);
  const late = reads.read("a");
  expect(pending).toHaveLength(2);
  await answer(1);
  await answer(0);
  expect([await early, await inTime, await late]).toEqual([0, 0, 1]);
  // The older answer came later and must not win.
  expect(reads.read("a")).toBe(1);
});

it("does not use a value whose read took too long, but for those who waited", async () => {
  const { clock, pending, reads, answer } = world();
  const waiting = reads.read("a");
  clock.advance(1_200);
  await answer(0);
  expect(await waiting).toBe(0);
  void reads.read("a");
  expect(pending).toHaveLength(2);
});

it("fails those who wait and asks again for the next", async () => {
  const { pending, reads, answer } = world();
  const waiting = reads.read("a");
  pending[0]?.reject(new Error("away"));
  await expect(waiting).rejects.toThrow("away");
  const next = reads.read("a");
  await answer(1);
  expect(await next).toBe(1);
});

it("keeps using a value when the read ahead of time fails", async () => {
  const { clock, pending, reads, answer } = world();
  void reads.read("a");
  await answer(0);
  clock.advance(600);
  void reads.read("a");
  pending[1]?.reject(new Error("away"));
  await pending[1]?.promise.catch(() => undefined);
  expect(reads.read("a")).toBe(0);
});

it("forgets what no caller asked for during 5 s", async () => {
  const { clock, reads, answer } = world();
  for (let at = 0; at < 100; at += 1) {
    void reads.read(`id-${at}`);
    await answer(at);
  }
  expect(reads.size).toBe(100);
  clock.advance(5_001);
  void reads.read("other");
  expect(reads.size).toBe(1);
});
