import { expect, it } from "vitest";
import { fieldIs } from "./field-selector.ts";

it.each([
  ["fix/login", "spec.head=fix/login"],
  ["a,b=c\\d", "spec.head=a\\,b\\=c\\\\d"],
  ["", "spec.head="],
])("selects %j", (value, want) => {
  expect(fieldIs("spec.head", value)).toBe(want);
});
