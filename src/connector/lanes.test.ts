import { expect, it } from "vitest";

import { done, requeueAfter } from "../kube/outcome.ts";
import { inLanes, Lanes } from "./lanes.ts";

const key = (name: string) => ({ namespace: "shop", name });
const { signal } = new AbortController();

it("has two places for each, and a place that was left is free", () => {
  const lanes = new Lanes({ ofOne: 2 });
  const leave = lanes.enter("one");
  expect([lanes.enter("one"), lanes.enter("one"), lanes.enter("other")].map((one) => one !== undefined)).toEqual([
    true,
    false,
    true,
  ]);
  leave?.();
  expect(lanes.enter("one")).toBeDefined();
});

it("has three places for all together", () => {
  const lanes = new Lanes({ ofOne: 2, inAll: 3 });
  const taken = ["one", "one", "two", "three"].map((uid) => lanes.enter(uid));
  expect(taken.map((one) => one !== undefined)).toEqual([true, true, true, false]);
  taken[0]?.();
  expect(lanes.enter("three")).toBeDefined();
});

it("works on keys of another Integration while those of one wait for its provider, and on these later", async () => {
  const provider = Promise.withResolvers<undefined>();
  const worked: string[] = [];
  const reconciler = inLanes(
    {
      async reconcile({ name }) {
        if (name.startsWith("slow")) await provider.promise;
        worked.push(name);
        return done;
      },
    },
    new Lanes({ ofOne: 1 }),
    ({ name }) => name.split("-")[0],
  );
  const first = reconciler.reconcile(key("slow-1"), signal);
  expect(await reconciler.reconcile(key("slow-2"), signal)).toEqual(requeueAfter(250));
  expect(await reconciler.reconcile(key("quick-1"), signal)).toBe(done);
  provider.resolve(undefined);
  await first;
  expect(await reconciler.reconcile(key("slow-2"), signal)).toBe(done);
  expect(worked).toEqual(["quick-1", "slow-1", "slow-2"]);
});

it("frees the place of what failed", async () => {
  const failing = { reconcile: () => Promise.reject(new Error("no")) };
  const reconciler = inLanes(failing, new Lanes({ ofOne: 1 }), () => "one");
  await expect(reconciler.reconcile(key("a"), signal)).rejects.toThrow("no");
  await expect(reconciler.reconcile(key("a"), signal)).rejects.toThrow("no");
});
