import { sql } from "kysely";
import { Migrator } from "kysely/migration";
import { describe, expect, it } from "vitest";

import { ArchiveStore } from "../../src/gateway/archive/archive-store.ts";
import { pullRequestFigures } from "../../src/gateway/archive/figures/pull-requests.ts";
import { summarize } from "../../src/gateway/archive/figures/summary.ts";
import type { Database } from "../../src/gateway/archive/open-archive.ts";
import { putRuns } from "../../src/gateway/archive/put-rows.ts";
import { migrations } from "../../src/gateway/archive/schema/migrations.ts";
import { FakeClock } from "../../src/lib/fake-clock.ts";
import { aPullRequestRow, aRunRow, aSessionRow, firstRunRow, nowMs } from "./archive-rows.ts";

const dayMs = 86_400_000;

/** What one session of a day adds. */
const sumOfOne = {
  grouped_by: "user",
  span: "day",
  begin_ms: Date.parse("2026-03-20T00:00:00Z"),
  source: "person",
  ...{ sessions: 1, active: 0, archived: 0, completed: 1, failed: 0, cancelled: 0 },
  ...{ idle_completed: 1, idle_failed: 0, idle_cancelled: 0, messages: 1, cost_micro: 0 },
  ...{ ended: 1, ended_after_ms: 1, last_ms: 1 },
};

/** How every engine goes on from the schema of each release; `open` gives an empty archive. */
export function itMigrates(open: () => Promise<Database>): void {
  const atFirst = { getMigrations: () => Promise.resolve({ "0001": migrations["0001"]! }) };
  const atSecond = {
    getMigrations: () => Promise.resolve({ "0001": migrations["0001"]!, "0002": migrations["0002"]! }),
  };
  const clock = new FakeClock(new Date(nowMs).toISOString());

  async function released(work: (db: Database) => Promise<void>): Promise<void> {
    const db = await open();
    const { error } = await new Migrator({ db, provider: atFirst }).migrateToLatest();
    if (error !== undefined) throw error as Error;
    try {
      await work(db);
    } finally {
      await db.destroy();
    }
  }

  it("from schema 2, with its sums, and takes pull requests", () =>
    released(async (db) => {
      const { error } = await new Migrator({ db, provider: atSecond }).migrateToLatest();
      if (error !== undefined) throw error as Error;
      await db
        .insertInto("session_sums")
        .values({ ...sumOfOne, namespace: "team", key: "ana" })
        .execute();
      const store = new ArchiveStore(db, clock);
      const term = await store.begin();
      const window = { fromMs: nowMs - 30 * dayMs, untilMs: nowMs };
      expect(await summarize(db, window)).toMatchObject({ totalSessions: 1, activeUsers: 1 });
      const created_ms = nowMs - 40 * dayMs;
      const pullRequests = [aPullRequestRow("p", { created_ms, merged_ms: nowMs - dayMs, state: "merged" })];
      await store.write(term, { runs: [], sessions: [], pullRequests });
      const figures = await pullRequestFigures(db, { selected: window, days: [], limit: 1 });
      expect(figures).toMatchObject({ funnel: { created: 0 }, mergedInWindow: 1 });
    }));

  it("from schema 5, and notes what a budget takes away from then on", () =>
    released(async (db) => {
      const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < "0006"));
      const { error } = await new Migrator({
        db,
        provider: { getMigrations: () => Promise.resolve(before) },
      }).migrateToLatest();
      if (error !== undefined) throw error as Error;
      await db.transaction().execute((transaction) => putRuns(transaction, [aRunRow("r", { gone_ms: nowMs })]));
      const store = new ArchiveStore(db, clock);
      const term = await store.begin();
      expect(await db.selectFrom("trimmed").selectAll().execute()).toEqual([]);
      await store.trim(term, { namespace: "team", budget: "namespace", bound: 0, bytes: 1 });
      expect(await db.selectFrom("trimmed").select("newest_ms").execute()).toEqual([{ newest_ms: nowMs }]);
    }));

  describe("from schema 1", () => {
    it("with every row, which may be changed and counts", () =>
      released(async (db) => {
        const runs = [firstRunRow("old", { created_ms: nowMs - 70 * dayMs }), firstRunRow("new", { summary: "done" })];
        const sessions = [
          aSessionRow("s-old", { created_ms: nowMs - 70 * dayMs }),
          aSessionRow("s-new", { created_ms: nowMs - dayMs, requested_by: "ana", cost_micro: 5 }),
        ];
        await db.insertInto("runs").values(runs).execute();
        await db.insertInto("sessions").values(sessions).execute();
        const store = new ArchiveStore(db, clock);
        const term = await store.begin();
        const kept = await db.selectFrom("runs").selectAll().orderBy("created_ms").execute();
        expect(kept).toEqual(runs.map((run) => ({ ...run, pushes: null })));
        expect(await db.selectFrom("sessions").selectAll().orderBy("created_ms").execute()).toEqual(sessions);
        const days = (count: number) => summarize(db, { fromMs: nowMs - count * dayMs, untilMs: nowMs });
        expect(await days(30)).toMatchObject({ totalSessions: 1, activeUsers: 1, totalCostUsd: "0.000005" });
        expect(await days(90)).toMatchObject({ totalSessions: 2 });

        await store.write(term, {
          runs: [aRunRow("new"), aRunRow("next", { created_ms: nowMs + 40 * dayMs })],
          sessions: [aSessionRow("s-old", { created_ms: nowMs - 70 * dayMs, state: "active" })],
        });
        const found = await db.selectFrom("runs").select(["uid", "summary"]).orderBy("created_ms").execute();
        expect(found).toEqual([
          { uid: "old", summary: null },
          { uid: "new", summary: "done" },
          { uid: "next", summary: null },
        ]);
        expect(await days(90)).toMatchObject({ totalSessions: 2, statusBreakdown: { active: 1 } });
      }));

    it("without rows", () =>
      released(async (db) => {
        const store = new ArchiveStore(db, clock);
        await store.write(await store.begin(), { runs: [aRunRow("r")], sessions: [aSessionRow("s")] });
        expect(await db.selectFrom("runs").select("uid").execute()).toEqual([{ uid: "r" }]);
      }));

    it("in one step or not at all", () =>
      released(async (db) => {
        await db.insertInto("runs").values(firstRunRow("r")).execute();
        // What 0002 makes last is there already.
        await sql`CREATE TABLE session_sums (other integer)`.execute(db);
        await expect(new ArchiveStore(db, clock).begin()).rejects.toThrow("session_sums");
        await db.schema.dropTable("session_sums").execute();
        await new ArchiveStore(db, clock).begin();
        expect(await db.selectFrom("runs").select("uid").execute()).toEqual([{ uid: "r" }]);
      }));
  });
}
