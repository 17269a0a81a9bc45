import { expect, it } from "vitest";

import { FairShares } from "./fair-shares.ts";

/** Takes all places that a key gets; returns how many. */
function takeAll(shares: FairShares, key: string): number {
  let taken = 0;
  while (shares.take(key)) taken += 1;
  return taken;
}

it("gives each key as many places as are left free, so that the next one finds some", () => {
  const shares = new FairShares({ places: 64 });
  expect(["a", "b", "c", "d", "e", "f", "g"].map((key) => takeAll(shares, key))).toEqual([32, 16, 8, 4, 2, 1, 1]);
  expect(shares.take("a")).toBeUndefined();
});

it("evens out as places are given back", () => {
  const shares = new FairShares({ places: 8 });
  const first = [1, 2, 3, 4].map(() => shares.take("a")!);
  expect(takeAll(shares, "b")).toBe(2);
  for (const free of first) free();
  expect([takeAll(shares, "b"), takeAll(shares, "a")]).toEqual([2, 2]);
});

it("gives a key no more than its limit, and a place back once", () => {
  const shares = new FairShares({ places: 100, perKey: 2 });
  const free = shares.take("a")!;
  expect([shares.take("a") !== undefined, shares.take("a")]).toEqual([true, undefined]);
  free();
  free();
  expect([shares.take("a") !== undefined, shares.take("a")]).toEqual([true, undefined]);
});

it("does work in a place, frees it however the work ends, and counts what is refused", async () => {
  let refused = 0;
  const shares = new FairShares({ places: 2, refused: () => (refused += 1) });
  const busy = (): Error => new Error("busy");
  const under = Promise.withResolvers<string>();
  const first = shares.run("a", () => under.promise, busy);
  await expect(shares.run("a", () => Promise.resolve("second"), busy)).rejects.toThrow("busy");
  expect(await shares.run("b", () => Promise.resolve("other"), busy)).toBe("other");
  under.reject(new Error("failed"));
  await expect(first).rejects.toThrow("failed");
  expect(await shares.run("a", () => Promise.resolve("again"), busy)).toBe("again");
  expect(refused).toBe(1);
});
