import { expect, it } from "vitest";

import { matchesPattern } from "./branch-pattern.ts";

it.each<[pattern: string, matching: string[], others: string[]]>([
  ["main", ["main"], ["Main", "main2", "amain", "", "main/x"]],
  ["release/*", ["release/1", "release/"], ["release", "release/1/2", "a/release/1"]],
  ["*", ["main", ""], ["a/b"]],
  ["*/*", ["a/b", "/"], ["a", "a/b/c"]],
  ["release/**", ["release/1", "release/1/2", "release/"], ["release", "releases/1"]],
  ["**", ["", "a", "a/b/c"], []],
  ["**/api", ["api", "a/api", "a/b/api", "/api"], ["apis", "xapi", "a/api/b"]],
  ["a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["a/xb", "ab", "a/b/c"]],
  ["fix-*-now", ["fix--now", "fix-login-now"], ["fix-now", "fix-a/b-now"]],
  ["*a*a*", ["aa", "xaxax"], ["a", "x"]],
  ["v1.?", ["v1.?"], ["v1.2"]],
  ["[ab]", ["[ab]"], ["a"]],
  ["a+b", ["a+b"], ["aab"]],
  ["é*", ["éa", "é😀"], ["e"]],
])("%s", (pattern, matching, others) => {
  expect(matching.filter((text) => !matchesPattern(pattern, text))).toEqual([]);
  expect(others.filter((text) => matchesPattern(pattern, text))).toEqual([]);
});

it("many asterisks take no more work than the lengths say", () => {
  const pattern = `${"**a".repeat(85)}b`;
  expect(pattern.length).toBeLessThanOrEqual(256);
  expect(matchesPattern(pattern, "a".repeat(255))).toBe(false);
});
