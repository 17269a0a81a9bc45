import { expect, it } from "vitest";
import { base32 } from "./base32.ts";

// The vectors of RFC 4648 section 10, lower-cased and without padding.
it.each([
  ["", ""],
  ["f", "my"],
  ["fo", "mzxq"],
  ["foo", "mzxw6"],
  ["foob", "mzxw6yq"],
  ["fooba", "mzxw6ytb"],
  ["foobar", "mzxw6ytboi"],
])("encodes %j as %j", (text, want) => {
  expect(base32(new TextEncoder().encode(text))).toBe(want);
});

it("gives 128 bits 26 characters", () => {
  expect(base32(new Uint8Array(16).fill(255))).toHaveLength(26);
});
