import { expect, it } from "vitest";
import { TextMap } from "./text-map.ts";

it("keeps each member, also those whose names every object has", () => {
  const text = '{"__proto__":"one","constructor":"two","A":""}';
  expect(JSON.stringify(TextMap.parse(JSON.parse(text)))).toBe(text);
});

it.each([1, null, "text", { a: 1 }, { a: null }, undefined])("refuses %j", (value) => {
  expect(TextMap.safeParse(value).success).toBe(false);
});

it("refuses a list", () => {
  expect(TextMap.safeParse(["a"]).success).toBe(false);
});
