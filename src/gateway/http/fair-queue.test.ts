import { setImmediate } from "node:timers/promises";

import { beforeEach, expect, it } from "vitest";

import { FairQueue } from "./fair-queue.ts";

let begun: string[];
let ends: Map<string, () => void>;
let refused: number;
let queue: FairQueue;
beforeEach(() => {
  [begun, refused] = [[], 0];
  ends = new Map();
  queue = new FairQueue({ working: 3, waitingOfOne: 4, refused: () => (refused += 1) });
});

const never = new AbortController().signal;

/** Work that goes on until it is ended by its name. */
function add(sharer: string, name: string, signal = never): Promise<string> {
  const busy = (): Error => new Error("busy");
  const work = (): Promise<string> => {
    begun.push(name);
    const { promise, resolve } = Promise.withResolvers<string>();
    ends.set(name, () => resolve(name));
    return promise;
  };
  return queue.run({ sharer, signal, busy }, work).catch((error: unknown) => (error as Error).message);
}

it("leaves a place to the next sharer, however much of one goes on and waits", async () => {
  for (const name of ["a1", "a2", "a3"]) void add("a", name);
  await setImmediate();
  expect(begun).toEqual(["a1", "a2"]);
  void add("b", "b1");
  await setImmediate();
  expect(begun).toEqual(["a1", "a2", "b1"]);
});

it("has sharers take turns", async () => {
  for (const name of ["a1", "a2", "a3", "a4"]) void add("a", name);
  for (const name of ["b1", "b2"]) void add("b", name);
  for (const name of ["a1", "a2", "b1", "a3"]) {
    await setImmediate();
    ends.get(name)?.();
  }
  await setImmediate();
  expect(begun).toEqual(["a1", "a2", "b1", "a3", "b2", "a4"]);
});

it("refuses what waits beyond the share, and takes it when something has ended", async () => {
  const all = ["1", "2", "3", "4", "5", "6", "7"].map((name) => add("a", name));
  expect(await all[6]).toBe("busy");
  expect(refused).toBe(1);
  ends.get("1")?.();
  expect(await all[0]).toBe("1");
  await setImmediate();
  void add("a", "8");
  await setImmediate();
  expect([begun, refused]).toEqual([["1", "2", "3"], 1]);
});

it("does nothing for one who waits no more, and goes on", async () => {
  const gone = new AbortController();
  const all = [add("a", "1"), add("a", "2"), add("a", "3", gone.signal), add("a", "4")];
  await setImmediate();
  gone.abort(new Error("gone"));
  ends.get("1")?.();
  expect(await all[2]).toBe("gone");
  await setImmediate();
  expect(begun).toEqual(["1", "2", "4"]);
});
