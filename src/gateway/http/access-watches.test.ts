import { setImmediate as turn } from "node:timers/promises";

import { beforeEach, expect, it } from "vitest";
import { FakeClock } from "../../lib/fake-clock.ts";
import { AccessWatches, recheckMs } from "./access-watches.ts";
import { ApiError } from "./errors.ts";

let clock: FakeClock;
let watches: AccessWatches;
/** Accesses that were asked about, in order. */
let asked: string[];
/** What is answered from now on; undefined: it is allowed. */
let answer: Error | undefined;
/** Streams that were told of a refusal. */
let refused: string[];

beforeEach(() => {
  clock = new FakeClock();
  watches = new AccessWatches(clock);
  [asked, refused, answer] = [[], [], undefined];
});

function open(stream: string, access = "ann"): () => void {
  const ask = (): Promise<void> => {
    asked.push(access);
    return answer ? Promise.reject(answer) : Promise.resolve();
  };
  return watches.watch(access, ask, () => refused.push(stream));
}

async function pass(ms: number): Promise<void> {
  clock.advance(ms);
  await turn();
}

it("asks within a minute, and never before its time", async () => {
  open("a");
  await pass(recheckMs - 1);
  expect(asked).toEqual([]);
  await pass(1);
  expect(asked).toHaveLength(1);
  await pass(recheckMs);
  expect([asked.length, refused]).toEqual([2, []]);
  expect(recheckMs).toBeLessThan(60_000);
});

it("asks once for all streams of an access, and tells each of them", async () => {
  for (const stream of ["a", "b", "c"]) open(stream);
  open("other", "bob");
  await pass(recheckMs - 1_000);
  // One that is opened late is asked about with the others.
  open("d");
  await pass(1_000);
  expect(asked).toEqual(["ann", "bob"]);
  answer = new ApiError("Forbidden", "no");
  await pass(recheckMs);
  expect(refused.toSorted()).toEqual(["a", "b", "c", "d", "other"]);
  await pass(10 * recheckMs);
  expect([asked.length, clock.timers]).toEqual([4, 0]);
});

it.each([
  ["the right was taken", new ApiError("Forbidden", "no"), ["a"]],
  ["the token has ended", new ApiError("Unauthorized", "no"), ["a"]],
  ["the namespace is no longer served", new ApiError("NotFound", "no"), ["a"]],
  ["too many ask at once", new ApiError("Busy", "later"), []],
  ["the API server does not answer", new Error("connect ECONNREFUSED"), []],
])("where %s (%s) it tells %j", async (_name, error, want) => {
  open("a");
  answer = error;
  await pass(recheckMs);
  expect(refused).toEqual(want);
  answer = undefined;
  await pass(recheckMs);
  expect([asked.length, refused]).toEqual([want.length > 0 ? 1 : 2, want]);
});

it("asks no more once the last stream has ended, also while it is asked", async () => {
  const [first, second] = [open("a"), open("b")];
  first();
  await pass(recheckMs);
  expect(asked).toHaveLength(1);
  clock.advance(recheckMs);
  second();
  await turn();
  expect([asked.length, clock.timers]).toEqual([2, 0]);
  await pass(10 * recheckMs);
  expect([asked.length, refused]).toEqual([2, []]);
});

it("a stream that is opened while the last one is asked about is asked about in its own time", async () => {
  const end = open("a");
  clock.advance(recheckMs);
  end();
  open("b");
  await turn();
  await pass(recheckMs - 1);
  expect(asked).toHaveLength(1);
  answer = new ApiError("Forbidden", "no");
  await pass(1);
  expect([asked.length, refused]).toEqual([2, ["b"]]);
});

it("streams that are opened after a refusal are asked about anew, and together, when those before them have ended", async () => {
  const end = open("a");
  answer = new ApiError("Forbidden", "no");
  await pass(recheckMs);
  answer = undefined;
  open("b");
  end();
  open("c");
  await pass(recheckMs);
  expect([asked.length, refused, clock.timers]).toEqual([2, ["a"], 1]);
});
