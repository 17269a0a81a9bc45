import { expect, it } from "vitest";

import { aPullRequestRow, aRunRow, aSessionRow } from "../../../test/support/archive-rows.ts";
import type { Batch } from "./archive-store.ts";
import { halvesOf, isRefusedRow, onlyRowOf } from "./refused-rows.ts";

it.each([
  { name: "a NUL in PostgreSQL", error: { code: "22021" }, want: true },
  { name: "a number out of range", error: { code: "22003" }, want: true },
  { name: "a constraint", error: { code: "23502" }, want: true },
  { name: "an entry that an index cannot hold", error: { code: "54000" }, want: true },
  { name: "too many connections", error: { code: "53300" }, want: false },
  { name: "a shutdown", error: { code: "57P01" }, want: false },
  { name: "a full disk", error: { code: "53100" }, want: false },
  { name: "a serialization failure", error: { code: "40001" }, want: false },
  { name: "no connection", error: { code: "ECONNREFUSED" }, want: false },
  { name: "SQLite's constraint", error: { code: "ERR_SQLITE_ERROR", errcode: 1_299 }, want: true },
  { name: "a text that is too big for SQLite", error: { code: "ERR_SQLITE_ERROR", errcode: 18 }, want: true },
  { name: "a busy SQLite", error: { code: "ERR_SQLITE_ERROR", errcode: 5 }, want: false },
  { name: "a full disk of SQLite's", error: { code: "ERR_SQLITE_ERROR", errcode: 13 }, want: false },
  { name: "an error of ours", error: new Error("no"), want: false },
  { name: "nothing", error: undefined, want: false },
])("$name is a refusal of the row: $want", ({ error, want }) => {
  expect(isRefusedRow(error)).toBe(want);
});

const ofAll: Batch = {
  runs: [aRunRow("a"), aRunRow("b")],
  sessions: [aSessionRow("c")],
  pullRequests: [aPullRequestRow("d")],
};
const uids = ({ runs, sessions, pullRequests = [] }: Batch) =>
  [runs, sessions, pullRequests].map((rows) => rows.map(({ uid }) => uid));

it("halves a batch until one row is left, and loses none", () => {
  const [first, second] = halvesOf(ofAll);
  expect([uids(first), uids(second)]).toEqual([
    [["a", "b"], [], []],
    [[], ["c"], ["d"]],
  ]);
  expect(halvesOf(second).map((half) => onlyRowOf(half))).toEqual([
    { table: "sessions", row: ofAll.sessions[0] },
    { table: "pull_requests", row: ofAll.pullRequests?.[0] },
  ]);
  expect(onlyRowOf(ofAll)).toBeUndefined();
});

it("halves three rows into two and one", () => {
  const [first, second] = halvesOf({ runs: [aRunRow("a"), aRunRow("b"), aRunRow("c")], sessions: [] });
  expect([uids(first)[0], uids(second)[0]]).toEqual([["a", "b"], ["c"]]);
});
