import { expect, it } from "vitest";
import { mayClaimLater } from "./may-claim-later.ts";

it.each([
  { name: "the first of a runtime that has just begun", connection: 1, runningMs: 0, isFromPool: false, want: true },
  { name: "the first, below the limit", connection: 1, runningMs: 59_999, isFromPool: false, want: true },
  { name: "the first, at the limit", connection: 1, runningMs: 60_000, isFromPool: false, want: true },
  { name: "the first, above the limit", connection: 1, runningMs: 60_001, isFromPool: false, want: false },
  { name: "the second", connection: 2, runningMs: 0, isFromPool: false, want: false },
  { name: "one of an earlier runtime, without an age", connection: 1, isFromPool: false, want: false },
  { name: "the first of a sandbox from a pool", connection: 1, runningMs: 0, isFromPool: true, want: false },
])("$name is noted later: $want", ({ connection, runningMs, isFromPool, want }) => {
  expect(mayClaimLater({ connection, runningMs }, { isFromPool })).toBe(want);
});
