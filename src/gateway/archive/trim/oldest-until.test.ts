import { expect, it } from "vitest";

import { oldestUntil } from "./oldest-until.ts";

const row = (uid: string, createdMs: number) => ({ table: "runs", uid, createdMs, bytes: 10 });
const rows = [row("second", 2), row("third", 3), row("first", 1)];

it.each([
  { bytes: 0, most: 9, want: [] },
  { bytes: 1, most: 9, want: ["first"] },
  { bytes: 10, most: 9, want: ["first"] },
  { bytes: 11, most: 9, want: ["first", "second"] },
  { bytes: 99, most: 9, want: ["first", "second", "third"] },
  { bytes: 99, most: 3, want: ["first", "second", "third"] },
  { bytes: 99, most: 2, want: ["first", "second"] },
])("$bytes bytes of at most $most rows: $want", ({ bytes, most, want }) => {
  expect(oldestUntil(rows, { bytes, most }).map(({ uid }) => uid)).toEqual(want);
});
