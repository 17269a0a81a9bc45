import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { archiveInMemory } from "../../../../test/support/archive-in-memory.ts";
import { aPullRequestRow, aRunRow, aSessionRow } from "../../../../test/support/archive-rows.ts";
import { FakeClock } from "../../../lib/fake-clock.ts";
import { ArchiveStore } from "../archive-store.ts";
import type { Database } from "../open-archive.ts";
import { jsonOrNull, name, nameOrNull, number, storable, text, textOrNull } from "./columns.ts";
import { type ArchivedTable, archivedTables, columnsOf } from "./tables.ts";

describe("a row is stored", () => {
  // A column that nobody has thought of.
  const planted = { given: text, wanted: textOrNull, key: name, found: nameOrNull, count: number };
  const row = { given: "a", wanted: "b", key: "c", found: "d", count: 1 };

  it("as it is", () => {
    expect(storable(planted, row)).toEqual(row);
    expect(storable(planted, { ...row, wanted: null, found: null })).toEqual({ ...row, wanted: null, found: null });
  });

  it("without what PostgreSQL cannot store", () => {
    const bad = "a\0b\ud800c";
    const dirty = { given: bad, wanted: bad, key: bad, found: bad, count: 1 };
    const clean = "ab\ufffdc";
    expect(storable(planted, dirty)).toEqual({ given: clean, wanted: clean, key: clean, found: clean, count: 1 });
  });

  it("with nothing for an empty text, where that may be", () => {
    expect(storable(planted, { given: "", wanted: "", key: "\0", found: "\0", count: 0 })).toEqual({
      given: "",
      wanted: null,
      key: "",
      found: null,
      count: 0,
    });
  });

  it.each([
    { column: "given" as const, most: 1_000 },
    { column: "wanted" as const, most: 1_000 },
    { column: "key" as const, most: 256 },
    { column: "found" as const, most: 256 },
  ])("with at most $most characters of $column", ({ column, most }) => {
    const stored = (characters: number) => storable(planted, { ...row, [column]: "\u{1f600}".repeat(characters) });
    expect(stored(most - 1)[column]).toBe("\u{1f600}".repeat(most - 1));
    expect(stored(most)[column]).toBe("\u{1f600}".repeat(most));
    expect(stored(most + 1)[column]).toBe("\u{1f600}".repeat(most));
  });
});

it.each([
  { length: 65_535, isKept: true },
  { length: 65_536, isKept: true },
  { length: 65_537, isKept: false },
])("JSON of $length characters is kept whole or not at all: $isKept", ({ length, isKept }) => {
  const value = `"${"x".repeat(length - 2)}"`;
  expect(storable({ told: jsonOrNull }, { told: value }).told).toBe(isKept ? value : null);
});

describe("the archive's tables", () => {
  let db: Database;
  let store: ArchiveStore;
  let term: number;
  beforeEach(async () => {
    db = archiveInMemory();
    store = new ArchiveStore(db, new FakeClock());
    term = await store.begin();
  });
  afterEach(() => db.destroy());

  it.each(archivedTables)("%s has the columns that are defined, each of its type", async (table) => {
    const { rows } = await sql<{ name: string; type: string; notnull: number }>`
      SELECT name, type, "notnull" FROM pragma_table_info(${table})`.execute(db);
    const stored = rows.map((column) => [
      column.name,
      column.type.toLowerCase() === "text",
      column.notnull === 1 || column.name === "uid",
    ]);
    const defined = Object.entries(columnsOf[table]).map(([column, { kind, isOptional }]) => [
      column,
      kind !== "number",
      !isOptional,
    ]);
    expect(defined.sort()).toEqual(stored.sort());
  });

  it("take no text as it came", async () => {
    const bad = "a\0\ud800";
    const runs = [dirty("runs", aRunRow("r"), bad)];
    const sessions = [dirty("sessions", aSessionRow("s"), bad)];
    const pullRequests = [dirty("pull_requests", aPullRequestRow("p"), bad)];
    await store.write(term, { runs, sessions, pullRequests });
    for (const table of archivedTables) {
      const [row = {}] = await db.selectFrom(table).selectAll().execute();
      const texts = Object.values(row).filter((value) => typeof value === "string");
      expect(texts.length).toBeGreaterThan(5);
      expect(new Set(texts)).toEqual(new Set(["a\ufffd"]));
    }
  });
});

/** The row with this in each of its columns that hold text. */
function dirty<Row extends object>(table: ArchivedTable, row: Row, value: string): Row {
  const texts = Object.entries(columnsOf[table]).filter(([, { kind }]) => kind !== "number");
  return { ...row, ...Object.fromEntries(texts.map(([column]) => [column, value])) };
}
