import { expect, it } from "vitest";

import { BodyBudget } from "./body-budget.ts";

const mostBytes = 67_108_864;

it("lends 64 MiB and no more, to all together, and has it back when their work ends", async () => {
  const budget = new BodyBudget();
  const first = Promise.withResolvers<undefined>();
  const lent = budget.lend(async (room) => {
    expect(room.take(mostBytes - 1)).toBe(true);
    await first.promise;
  });
  await budget.lend((room) => {
    expect([room.take(2), room.take(1), room.take(1)]).toEqual([false, true, false]);
    return Promise.resolve();
  });
  expect(budget.taken).toBe(mostBytes - 1);
  first.resolve(undefined);
  await lent;
  expect(budget.taken).toBe(0);
});

it("has it back from work that fails", async () => {
  const budget = new BodyBudget({ mostBytes: 10 });
  const failing = budget.lend((room) => {
    room.take(10);
    return Promise.reject(new Error("no"));
  });
  await expect(failing).rejects.toThrow("no");
  expect(budget.taken).toBe(0);
});

it("leaves each sharer as much as another one takes, and counts what is refused", async () => {
  let refused = 0;
  const budget = new BodyBudget({ mostBytes: 12, refused: () => (refused += 1) });
  const taken = await budget.lend(async (room) => {
    const ours = [room.take(5), room.take(2), room.take(1), room.take(1)];
    const theirs = await budget.lend((other) => Promise.resolve([other.take(3), other.take(1)]), "shop");
    return [...ours, ...theirs];
  }, "site");
  expect(taken).toEqual([true, false, true, false, true, false]);
  expect(refused).toBe(3);
  expect(budget.taken).toBe(0);
  expect(await budget.lend((room) => Promise.resolve(room.take(6)), "site")).toBe(true);
});
