import { expect, it } from "vitest";

import { Turns } from "./turns.ts";

function takeAll(turns: Turns<string>): string[] {
  const taken: string[] = [];
  for (let item = turns.take(); item !== undefined; item = turns.take()) taken.push(item);
  return taken;
}

it("gives sharers their turns, and each one's items in order", () => {
  const turns = new Turns<string>();
  for (const item of ["a1", "a2", "a3", "b1", "c1", "b2"]) turns.add(item.charAt(0), item);
  expect([turns.size, turns.sizeOf("a"), turns.sizeOf("d")]).toEqual([6, 3, 0]);
  expect(takeAll(turns)).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
  expect(turns.size).toBe(0);
});

it("takes a newcomer before the second item of those who were there", () => {
  const turns = new Turns<string>();
  for (let at = 0; at < 1_000; at += 1) turns.add("hostile", `hostile-${at}`);
  turns.take();
  turns.add("other", "other");
  expect([turns.take(), turns.take()]).toEqual(["hostile-1", "other"]);
});

it("passes by those who may have none, and keeps their turn", () => {
  const turns = new Turns<string>();
  for (const item of ["a1", "a2", "b1", "c1"]) turns.add(item.charAt(0), item);
  expect(turns.take((sharer) => sharer !== "a")).toBe("b1");
  expect(turns.take(() => false)).toBeUndefined();
  expect(takeAll(turns)).toEqual(["a1", "c1", "a2"]);
});

it("keeps each item once, and forgets one that waits no more", () => {
  const turns = new Turns<string>();
  for (const item of ["a1", "a1", "b1"]) turns.add(item.charAt(0), item);
  expect([turns.delete("a", "a1"), turns.delete("a", "a1"), turns.delete("b", "a1")]).toEqual([true, false, false]);
  expect(takeAll(turns)).toEqual(["b1"]);
});
