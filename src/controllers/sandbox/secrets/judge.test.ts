import { describe, expect, it } from "vitest";
import { scopeProblem } from "./judge.ts";
import type { SecretEntry } from "./scope.ts";

function keys(count: number): SecretEntry[] {
  return Array.from({ length: count }, (_, index) => ({ key: `K${index}`, bytes: 1 }));
}

function values(...sizes: number[]): SecretEntry[] {
  return sizes.map((bytes, index) => ({ key: `K${index}`, bytes }));
}

describe("a stored scope", () => {
  it.each([
    ["49 keys", keys(49)],
    ["50 keys", keys(50)],
    ["no key", []],
    ["a value of 16,383 bytes", values(16_383)],
    ["a value of 16,384 bytes", values(16_384)],
    ["65,535 bytes", values(16_384, 16_384, 16_384, 16_383)],
    ["65,536 bytes", values(16_384, 16_384, 16_384, 16_384)],
  ])("may have %s", (_, entries) => {
    expect(scopeProblem(entries)).toBeUndefined();
  });

  it.each([
    ["51 keys", keys(51), "it has 51 keys and may have at most 50"],
    ["a value of 16,385 bytes", values(16_385), "the value of K0 has 16385 bytes and may have at most 16384"],
    [
      "65,537 bytes",
      values(16_384, 16_384, 16_384, 16_384, 1),
      "its values have 65537 bytes together and may have at most 65536",
    ],
    [
      "keys that differ in case",
      [
        { key: "a", bytes: 1 },
        { key: "A", bytes: 1 },
      ],
      "a and A differ only in case and are one key",
    ],
    ["a reserved key", [{ key: "Path", bytes: 1 }], "Path is reserved for the platform"],
    [
      "a key of another form",
      [{ key: "9A", bytes: 1 }],
      "9A is not made of letters, digits and underscores, or begins with a digit",
    ],
    [
      "a key with a line end",
      [{ key: "A\n", bytes: 1 }],
      "A\n is not made of letters, digits and underscores, or begins with a digit",
    ],
  ])("may not have %s", (_, entries, want) => {
    expect(scopeProblem(entries)).toBe(want);
  });

  it("has the first five problems named", () => {
    const entries = ["PATH", "HOME", "USER", "LANG", "TERM", "PWD", "SHELL"].map((key) => ({ key, bytes: 0 }));
    expect(scopeProblem(entries)).toMatch(/^PATH is .*; HOME is .*; USER is .*; LANG is .*; TERM is .*; and 2 more$/);
  });
});
