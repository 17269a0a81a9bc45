import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Kysely, sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { isRefusedRow } from "../refused-rows.ts";
import { EmbeddedDialect } from "./embedded-dialect.ts";
import { SqliteThread } from "./sqlite-thread.ts";

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), "runwright-sqlite-"))));
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Counts to a number, which takes SQLite some 50 ns each. */
const counting = (to: number): string =>
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${to}) SELECT max(i) AS most FROM n`;

describe("a thread", () => {
  let thread: SqliteThread;
  beforeEach(async () => void (thread = await SqliteThread.open(join(folder, "archive.db"))));
  afterEach(() => thread.close());

  it("gives rows, and how many it changed", async () => {
    expect(await thread.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)", [])).toMatchObject({ rows: [] });
    expect(await thread.execute("INSERT INTO t VALUES (?, ?), (?, ?)", [1, "a", 2, null])).toMatchObject({
      changes: 2,
    });
    expect(await thread.execute("SELECT * FROM t WHERE id < ?", [9])).toEqual({
      rows: [
        { id: 1, name: "a" },
        { id: 2, name: null },
      ],
    });
    const deleted = await thread.execute("DELETE FROM t WHERE id = ? RETURNING name", [1]);
    expect(deleted.rows).toEqual([{ name: "a" }]);
  });

  it("keeps nothing else of the process waiting", async () => {
    let turns = 0;
    const counted = thread.execute(counting(2_000_000), []);
    const under = { way: true };
    void counted.finally(() => (under.way = false));
    while (under.way) {
      await new Promise(setImmediate);
      turns += 1;
    }
    expect(await counted).toEqual({ rows: [{ most: 2_000_000 }] });
    expect(turns).toBeGreaterThan(100);
  });

  it("says why a statement failed, with the code by which a refused row is told, and goes on", async () => {
    await thread.execute("CREATE TABLE t (id INTEGER PRIMARY KEY NOT NULL CHECK (id < 5))", []);
    const refused = await thread.execute("INSERT INTO t VALUES (?)", [5]).catch((error: unknown) => error);
    expect(refused).toMatchObject({ name: "SqliteError", message: "CHECK constraint failed: id < 5", errcode: 275 });
    expect(isRefusedRow(refused)).toBe(true);
    const unknown = await thread.execute("SELECT * FROM nowhere", []).catch((error: unknown) => error);
    expect(unknown).toMatchObject({ message: "no such table: nowhere" });
    expect(isRefusedRow(unknown)).toBe(false);
    await expect(thread.execute("SELECT 1 AS one", [])).resolves.toEqual({ rows: [{ one: 1 }] });
  });

  it("does nothing more once it is closed", async () => {
    await thread.close();
    await expect(thread.execute("SELECT 1", [])).rejects.toThrow("the thread of the archive's file has ended");
  });
});

it("rejects a file that cannot be made", async () => {
  await expect(SqliteThread.open(join(folder, "none", "archive.db"))).rejects.toThrow("unable to open database file");
  await expect(EmbeddedDialect.open(join(folder, "none", "archive.db"))).rejects.toThrow("unable to open");
});

describe("an embedded archive", () => {
  let db: Kysely<{ t: { id: number } }>;
  const open = async (most?: number): Promise<void> => {
    db = new Kysely({ dialect: await EmbeddedDialect.open(join(folder, "archive.db"), most) });
    await sql`CREATE TABLE t (id INTEGER PRIMARY KEY)`.execute(db);
  };
  afterEach(() => db.destroy());

  it("answers short queries beside long ones, while a thread is left", async () => {
    await open();
    const ended: string[] = [];
    const long = [1, 2, 3].map(() =>
      sql
        .raw(counting(3_000_000))
        .execute(db)
        .then(() => ended.push("long")),
    );
    await db.insertInto("t").values({ id: 1 }).execute();
    ended.push("short");
    await Promise.all(long);
    expect(ended[0]).toBe("short");
  });

  it("has as many queries wait as there are no threads for, and answers all", async () => {
    await open(2);
    const answers = await Promise.all(
      Array.from({ length: 9 }, (_, at) => sql<{ at: number }>`SELECT ${at} AS at`.execute(db)),
    );
    expect(answers.map(({ rows }) => rows[0]?.at)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it("takes back all of a transaction that fails, and shows nothing of one that is under way", async () => {
    await open();
    const failed = db.transaction().execute(async (transaction) => {
      await transaction.insertInto("t").values({ id: 1 }).execute();
      expect(await db.selectFrom("t").selectAll().execute()).toEqual([]);
      await transaction.insertInto("t").values({ id: 1 }).execute();
    });
    await expect(failed).rejects.toThrow("UNIQUE constraint failed: t.id");
    expect(await db.selectFrom("t").selectAll().execute()).toEqual([]);
  });

  it("loses the thread of an answer that is too large, and goes on with another", async () => {
    await open(1);
    const tooLarge = sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
      SELECT hex(zeroblob(1000000)) FROM n`.execute(db);
    const next = sql<{ one: number }>`SELECT 1 AS one`.execute(db);
    await expect(tooLarge).rejects.toThrow("memory limit");
    expect((await next).rows).toEqual([{ one: 1 }]);
  });

  it("fails what waits for a thread when it is closed, and what comes later", async () => {
    await open(1);
    const first = sql.raw(counting(500_000)).execute(db);
    const second = sql`SELECT 1`.execute(db).catch((error: unknown) => error);
    await new Promise(setImmediate);
    await db.destroy();
    expect((await first).rows).toEqual([{ most: 500_000 }]);
    expect(String(await second)).toContain("the archive is closed");
    await expect(sql`SELECT 1`.execute(db)).rejects.toThrow("destroyed");
  });
});
