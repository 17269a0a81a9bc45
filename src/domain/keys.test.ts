import { expect, it } from "vitest";

import { aSecret } from "../../test/support/builders.ts";
import { hashApiKey, isKeyHash, keyMatches, makeApiKey, storedKeyHash } from "./keys.ts";

it("makes keys of 43 characters of base64url out of 32 bytes", () => {
  expect(makeApiKey(new Uint8Array(32).fill(255))).toBe("__________________________________________8");
  expect(makeApiKey(new Uint8Array(32))).toMatch(/^[\w-]{43}$/);
  expect(() => makeApiKey(new Uint8Array(31))).toThrow("32 bytes, not 31");
});

it("hashes a key's text as lower-case hexadecimal SHA-256", () => {
  expect(hashApiKey("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

it.each([
  { name: "its own hash", stored: hashApiKey("k1"), want: true },
  { name: "another key's hash", stored: hashApiKey("k2"), want: false },
  { name: "no hash", stored: undefined, want: false },
  { name: "an empty hash", stored: "", want: false },
  { name: "a shortened hash", stored: hashApiKey("k1").slice(0, 62), want: false },
  { name: "the key itself", stored: "k1", want: false },
])("a key and $name: $want", ({ stored, want }) => {
  expect(keyMatches("k1", stored)).toBe(want);
});

it.each([
  [hashApiKey("x"), true],
  [hashApiKey("x").toUpperCase(), false],
  [`${hashApiKey("x")}\n`, false],
  [hashApiKey("x").slice(1), false],
  ["", false],
])("%j is a key hash: %s", (text, want) => {
  expect(isKeyHash(text)).toBe(want);
});

it("a stored hash that could match nothing is none", () => {
  const hash = hashApiKey("x");
  expect(storedKeyHash(aSecret({ sha256: hash }))).toBe(hash);
  expect(storedKeyHash(aSecret({ sha256: "" }))).toBeUndefined();
  expect(storedKeyHash(undefined)).toBeUndefined();
});
