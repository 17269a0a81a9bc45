import { expect, it } from "vitest";
import { parse } from "yaml";
import { manifestText } from "./manifest-text.ts";

const texts = [
  "no",
  "on",
  "Yes",
  "y",
  "true",
  "null",
  "~",
  "",
  " ",
  "03",
  "1e3",
  "0x1f",
  "1_000",
  "12:30",
  "2026-01-01",
];
const more = ["=", "- a", "a: b", "# a", "a\nb\n", "a\r\nb", "\u0007", "\u2028", "%YAML", "@a", "`a", "'a'", '"a"'];

it.each([...texts, ...more])("keeps %j as text, by each version of YAML", (text) => {
  const object = { value: text, [text]: "value" };
  for (const version of ["1.1", "1.2"] as const) expect(parse(manifestText(object), { version })).toEqual(object);
});

it("keeps numbers and truth values", () => {
  const object = { list: [3, -0.5, true], name: "a".repeat(200) };
  expect(manifestText(object)).toBe(`list:\n  - 3\n  - -0.5\n  - true\nname: ${"a".repeat(200)}\n`);
});
