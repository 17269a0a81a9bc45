import { sql } from "kysely";
import { afterEach, beforeEach, expect, it } from "vitest";

import { ArchiveStore } from "../../src/gateway/archive/archive-store.ts";
import type { Database } from "../../src/gateway/archive/open-archive.ts";
import { FakeClock } from "../../src/lib/fake-clock.ts";
import { aRunRow, aSessionRow } from "./archive-rows.ts";

/** What is PostgreSQL's alone: a partition for each month. `open` gives an empty archive. */
export function itHasMonths(open: () => Promise<Database>): void {
  let db: Database;
  let store: ArchiveStore;
  let term: number;
  beforeEach(async () => {
    db = await open();
    store = new ArchiveStore(db, new FakeClock());
    term = await store.begin();
  });
  afterEach(() => db.destroy());

  const at = (text: string): number => Date.parse(`${text}Z`);
  const run = (uid: string, text: string, gone = true) =>
    aRunRow(uid, { created_ms: at(text), gone_ms: gone ? at("2026-12-31T00:00:00") : null });
  const months = async (table: string): Promise<string[]> => {
    const { rows } = await sql<{ name: string }>`
      SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = ${table}::regclass ORDER BY 1`.execute(
      db,
    );
    return rows.map(({ name }) => name);
  };
  const uids = async (): Promise<string[]> =>
    (await db.selectFrom("runs").select("uid").orderBy("uid").execute()).map(({ uid }) => uid);

  it("that is made when the first row of the month comes, up to its last millisecond", async () => {
    const runs = [
      run("a", "2026-01-31T23:59:59.999"),
      run("b", "2026-02-01T00:00:00"),
      run("c", "2026-02-28T23:59:59.999"),
    ];
    await store.write(term, { runs, sessions: [aSessionRow("s", { created_ms: at("2026-03-01T00:00:00") })] });
    expect(await months("runs")).toEqual(["runs_2026_01", "runs_2026_02"]);
    expect(await months("sessions")).toEqual(["sessions_2026_03"]);
    await store.write(term, {
      runs: [run("a", "2026-01-31T23:59:59.999"), run("d", "1970-01-01T00:00:00")],
      sessions: [],
    });
    expect(await months("runs")).toEqual(["runs_1970_01", "runs_2026_01", "runs_2026_02"]);
    expect(await uids()).toEqual(["a", "b", "c", "d"]);
  });

  it("that is not there when its batch was refused, and is with the next one", async () => {
    const broken = { ...aSessionRow("s"), name: null as unknown as string };
    await expect(store.write(term, { runs: [run("a", "2026-01-01T00:00:00")], sessions: [broken] })).rejects.toThrow();
    expect(await months("runs")).toEqual([]);
    await store.write(term, { runs: [run("a", "2026-01-01T00:00:00")], sessions: [] });
    expect(await uids()).toEqual(["a"]);
  });

  it("that goes when it is past the limit and empty, and takes rows again", async () => {
    const runs = [
      run("a", "2026-01-15T00:00:00"),
      run("b", "2026-02-15T00:00:00"),
      run("live", "2026-01-16T00:00:00", false),
    ];
    await store.write(term, {
      runs,
      sessions: [aSessionRow("s", { created_ms: at("2026-01-15T00:00:00"), gone_ms: 1 })],
    });
    await store.expire(term, at("2026-01-31T23:59:59.999"));
    expect(await months("runs")).toEqual(["runs_2026_01", "runs_2026_02"]);
    expect(await months("sessions")).toEqual(["sessions_2026_01"]);
    expect(await uids()).toEqual(["b", "live"]);
    await store.expire(term, at("2026-02-01T00:00:00"));
    // A row whose object is there keeps its month.
    expect(await months("runs")).toEqual(["runs_2026_01", "runs_2026_02"]);
    expect(await months("sessions")).toEqual([]);
    await store.write(term, { runs: [], sessions: [aSessionRow("t", { created_ms: at("2026-01-20T00:00:00") })] });
    expect(await months("sessions")).toEqual(["sessions_2026_01"]);
  });

  it("that is made while a dump reads the table, and goes when none does", async () => {
    await store.write(term, { runs: [run("a", "2026-01-15T00:00:00")], sessions: [] });
    await db.transaction().execute(async (dump) => {
      await sql`LOCK TABLE runs IN ACCESS SHARE MODE`.execute(dump);
      await store.write(term, { runs: [run("b", "2026-02-15T00:00:00")], sessions: [] });
      await store.expire(term, at("2026-02-01T00:00:00"));
    });
    expect(await months("runs")).toEqual(["runs_2026_01", "runs_2026_02"]);
    expect(await uids()).toEqual(["b"]);
    await store.expire(term, at("2026-02-01T00:00:00"));
    expect(await months("runs")).toEqual(["runs_2026_02"]);
  });
}
