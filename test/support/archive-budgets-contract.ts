import { expect, it } from "vitest";

import { ArchiveStore, TermOverError } from "../../src/gateway/archive/archive-store.ts";
import { summarize } from "../../src/gateway/archive/figures/summary.ts";
import type { Database } from "../../src/gateway/archive/open-archive.ts";
import { rowOverhead } from "../../src/gateway/archive/sizes.ts";
import type { ArchiveBounds } from "../../src/gateway/archive/trim/archive-bounds.ts";
import { trimArchive, type Trimmed } from "../../src/gateway/archive/trim/trim-archive.ts";
import { FakeClock } from "../../src/lib/fake-clock.ts";
import { aPullRequestRow, aRunRow, aSessionRow, nowMs } from "./archive-rows.ts";
import { eachWithEmptyArchive } from "./empty-archive.ts";

const dayMs = 86_400_000;
const unbounded = { namespace: Infinity, total: Infinity };

/** How the archive is kept within its budgets on every engine; `open` gives an empty one. */
export function itKeepsBudgets(open: () => Promise<Database>): void {
  const archive = eachWithEmptyArchive(open, nowMs);

  /** A Run that is gone and was created so many milliseconds ago; rows of one namespace have the same bytes. */
  const gone = (uid: string, ageMs: number, namespace = "team") =>
    aRunRow(uid, { namespace, created_ms: nowMs - ageMs, gone_ms: nowMs });
  const uids = async () =>
    (await archive.db.selectFrom("runs").select("uid").orderBy("uid").execute()).map(({ uid }) => uid);
  const sizes = async () => Object.fromEntries(await archive.store.sizes());
  const notes = () => archive.db.selectFrom("trimmed").selectAll().orderBy("namespace").execute();

  async function trim(bounds: Partial<ArchiveBounds>): Promise<Trimmed[]> {
    const made: Trimmed[] = [];
    await trimArchive(archive.store, {
      term: archive.term,
      bounds: { ...unbounded, ...bounds },
      trimmed: (of) => made.push(of),
    });
    return made;
  }

  it("knows what each namespace has, whatever is written again and deleted", async () => {
    const run = aRunRow("r", { namespace: "a" });
    await archive.store.write(archive.term, { runs: [run], sessions: [aSessionRow("s", { namespace: "b" })] });
    const { a = 0, b = 0 } = await sizes();
    await archive.store.write(archive.term, {
      runs: [{ ...run, summary: "fünf" }],
      sessions: [aSessionRow("t", { namespace: "b" })],
      pullRequests: [aPullRequestRow("p", { namespace: "c" })],
    });
    expect(a).toBeGreaterThan(rowOverhead);
    expect(await sizes()).toMatchObject({ a: a + 5, b: 2 * b });
    // What history has emptied stays in the row.
    await archive.store.write(archive.term, { runs: [run], sessions: [] });
    expect(await sizes()).toMatchObject({ a: a + 5, b: 2 * b });
    for (const table of ["runs", "sessions", "pull_requests"] as const) {
      await archive.store.noteGone(archive.term, table, { namespaces: [], isLive: (uid) => uid === "s" });
    }
    await archive.store.expire(archive.term, nowMs + 1);
    expect(await sizes()).toEqual({ b });
  });

  it("adds up what is there when the sizes are new", async () => {
    await archive.store.write(archive.term, {
      runs: [gone("r", 0)],
      sessions: [aSessionRow("s")],
      pullRequests: [aPullRequestRow("p", { namespace: "other" })],
    });
    const had = await sizes();
    await archive.db.deleteFrom("sizes").execute();
    await archive.store.begin();
    expect(await sizes()).toEqual(had);
    await archive.store.begin();
    expect(await sizes()).toEqual(had);
  });

  it.each([
    { name: "above what is there", less: -1, left: ["a", "b", "c"], rows: 0 },
    { name: "at what is there", less: 0, left: ["a", "b", "c"], rows: 0 },
    { name: "one byte below", less: 1, left: ["a", "b"], rows: 1 },
    { name: "one row below", less: "row", left: ["a", "b"], rows: 1 },
    { name: "one row and a byte below", less: "more", left: ["a"], rows: 2 },
  ])("deletes the oldest rows of a namespace with a budget $name", async ({ less, left, rows }) => {
    await archive.store.write(archive.term, { runs: [gone("a", 1), gone("c", 3), gone("b", 2)], sessions: [] });
    await archive.store.write(archive.term, { runs: [gone("x", 9, "else")], sessions: [] });
    const { team = 0 } = await sizes();
    const byRow = { row: team / 3, more: team / 3 + 1 };
    const budget = team - (typeof less === "number" ? less : byRow[less as "row" | "more"]);
    const made = await trim({ namespace: budget });
    expect(await uids()).toEqual([...left, "x"]);
    expect(made).toEqual(rows === 0 ? [] : [{ namespace: "team", budget: "namespace", rows }]);
    expect((await sizes()).team).toBe((team / 3) * left.length);
    const newest_ms = nowMs - left.length - 1;
    const noted = { namespace: "team", newest_ms, budget: "namespace", budget_bytes: budget };
    expect(await notes()).toEqual(rows === 0 ? [] : [noted]);
  });

  it("deletes the oldest of all tables, and never what is there", async () => {
    const at = (ageMs: number) => ({ created_ms: nowMs - ageMs, gone_ms: nowMs });
    await archive.store.write(archive.term, {
      runs: [aRunRow("live", { created_ms: nowMs - 99 }), aRunRow("young", at(1))],
      sessions: [aSessionRow("old", at(9))],
      pullRequests: [aPullRequestRow("older", at(10))],
    });
    const { team = 0 } = await sizes();
    await trim({ namespace: team - 1 });
    expect(await archive.db.selectFrom("pull_requests").select("uid").execute()).toEqual([]);
    expect(await archive.db.selectFrom("sessions").select("uid").execute()).toHaveLength(1);
    await trim({ namespace: 0 });
    expect(await archive.db.selectFrom("sessions").select("uid").execute()).toEqual([]);
    expect(await uids()).toEqual(["live"]);
  });

  it("takes new rows of a namespace that is above its budget", async () => {
    await archive.store.write(archive.term, { runs: [gone("old", 2)], sessions: [] });
    await trim({ namespace: 0 });
    await archive.store.write(archive.term, { runs: [aRunRow("new")], sessions: [] });
    await trim({ namespace: 0 });
    expect(await uids()).toEqual(["new"]);
  });

  it("deletes rows of the namespace that has most where all have too much, and of the next where its objects are there", async () => {
    const live = Array.from({ length: 4 }, (_, at) => aRunRow(`live${at}`, { namespace: "busy" }));
    const team = [gone("a", 1), gone("b", 2), gone("c", 3)];
    await archive.store.write(archive.term, { runs: [...live, ...team, gone("x", 9, "else")], sessions: [] });
    const all = Object.values(await sizes()).reduce((sum, bytes) => sum + bytes, 0);
    expect(await trim({ total: all })).toEqual([]);
    expect(await trim({ total: all - 1 })).toEqual([{ namespace: "team", budget: "total", rows: 1 }]);
    expect(await uids()).toEqual(["a", "b", ...live.map(({ uid }) => uid), "x"]);
    expect(await notes()).toEqual([
      { namespace: "team", newest_ms: nowMs - 3, budget: "total", budget_bytes: all - 1 },
    ]);
  });

  it.each([499, 500, 501])("deletes %i rows in transactions of 500", async (count) => {
    await archive.store.write(archive.term, {
      runs: Array.from({ length: count }, (_, at) => gone(`r${at}`, at)),
      sessions: [],
    });
    const made = await trim({ namespace: 0 });
    expect(made.map(({ rows }) => rows)).toEqual(count > 500 ? [500, count - 500] : [count]);
    expect([await uids(), await sizes()]).toEqual([[], {}]);
    expect(await notes()).toMatchObject([{ namespace: "team", newest_ms: nowMs }]);
  });

  it("notes of a namespace the newest row that was deleted, and the budget that was exceeded last", async () => {
    await archive.store.write(archive.term, { runs: [gone("young", 1)], sessions: [] });
    await trim({ namespace: 1 });
    await archive.store.write(archive.term, { runs: [gone("late", 5)], sessions: [] });
    await trim({ total: 2 });
    expect(await notes()).toEqual([{ namespace: "team", newest_ms: nowMs - 1, budget: "total", budget_bytes: 2 }]);
  });

  it("deletes nothing that it cannot note", async () => {
    await archive.store.write(archive.term, { runs: [gone("r", 1)], sessions: [] });
    const had = await sizes();
    await archive.db.schema.dropTable("trimmed").execute();
    await expect(trim({ namespace: 0 })).rejects.toThrow("trimmed");
    expect([await uids(), await sizes()]).toEqual([["r"], had]);
  });

  it.each([
    ["a millisecond before", -1, 1],
    ["at", 0, 1],
    ["a millisecond after", 1, 0],
  ])("notes what was deleted until it would have been too old: %s", async (_, laterMs, want) => {
    await archive.store.write(archive.term, { runs: [gone("r", 1)], sessions: [] });
    await trim({ namespace: 0 });
    await archive.store.expire(archive.term, nowMs - 1 + laterMs);
    expect(await notes()).toHaveLength(want);
  });

  it("leaves figures as they are", async () => {
    const created_ms = nowMs - 2 * dayMs;
    await archive.store.write(archive.term, {
      runs: [],
      sessions: [aSessionRow("s", { created_ms, gone_ms: nowMs, requested_by: "ana", cost_micro: 5 })],
    });
    const figures = () => summarize(archive.db, { fromMs: nowMs - 30 * dayMs, untilMs: nowMs });
    const had = await figures();
    await trim({ namespace: 0 });
    expect(await archive.db.selectFrom("sessions").select("uid").execute()).toEqual([]);
    expect(await figures()).toEqual(had);
  });

  it("deletes nothing in a term that is over", async () => {
    await archive.store.write(archive.term, { runs: [gone("r", 1)], sessions: [] });
    await new ArchiveStore(archive.db, new FakeClock()).begin();
    await expect(trim({ namespace: 0 })).rejects.toThrow(TermOverError);
    expect([await uids(), await notes()]).toEqual([["r"], []]);
  });
}
