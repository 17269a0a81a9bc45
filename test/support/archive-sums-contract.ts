import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";

import { ArchiveStore } from "../../src/gateway/archive/archive-store.ts";
import { sessionSums } from "../../src/gateway/archive/figures/session-sums.ts";
import { sumUp } from "../../src/gateway/archive/figures/sum-up.ts";
import { breakDown } from "../../src/gateway/archive/figures/breakdown.ts";
import { summarize } from "../../src/gateway/archive/figures/summary.ts";
import { seriesOf } from "../../src/gateway/archive/figures/timeseries.ts";
import type { Database } from "../../src/gateway/archive/open-archive.ts";
import type { SessionRow } from "../../src/gateway/archive/schema/tables.ts";
import { FakeClock } from "../../src/lib/fake-clock.ts";
import { aSessionRow, nowMs } from "./archive-rows.ts";

const hourMs = 3_600_000;
const beginMs = Date.parse("2026-03-28T00:00:00Z");

/** Sessions of three days, near the edges of hours and days, in few groups. */
const session = fc.record({
  uid: fc.constantFrom("a", "b", "c", "d", "e", "f"),
  hour: fc.constantFrom(0, 1, 23, 24, 47, 48, 71),
  offsetMs: fc.constantFrom(0, 1, hourMs - 1),
  isRequesterKnown: fc.boolean(),
  repository: fc.constantFrom("api", "web"),
  state: fc.constantFrom("active", "idle"),
  outcome: fc.constantFrom(null, "completed", "failed", "cancelled"),
  cost_micro: fc.nat({ max: 9 }),
  isGone: fc.boolean(),
});
/** Who sends a session its first prompt stays, and who made it. */
const requesters: Record<string, string> = { a: "ana", b: "ana", c: "ben", d: "ben" };
const change = fc.oneof(
  { weight: 4, arbitrary: fc.record({ write: fc.uniqueArray(session, { selector: ({ uid }) => uid, minLength: 1 }) }) },
  { weight: 1, arbitrary: fc.record({ noteGone: fc.uniqueArray(fc.constantFrom("a", "b", "c")) }) },
  { weight: 1, arbitrary: fc.constant({ beginAgain: true }) },
);
const edge = fc.tuple(fc.nat({ max: 74 }), fc.constantFrom(0, 1, hourMs / 2, hourMs - 1));

/** What sums must be, whatever is written in which order; `open` gives an empty archive. */
export function itKeepsSums(open: () => Promise<Database>): void {
  let db: Database;
  beforeAll(async () => void (db = await open()));
  afterAll(() => db.destroy());

  it("are those of the rows, in every window", async () => {
    const store = new ArchiveStore(db, new FakeClock(new Date(nowMs).toISOString()));
    let namespaces = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), edge, edge, async (changes, one, other) => {
        const namespace = `sums-${(namespaces += 1)}`;
        const created = new Map<string, number>();
        const last = new Map<string, number>();
        let term = await store.begin();
        for (const [step, made] of changes.entries()) {
          if ("beginAgain" in made) term = await store.begin();
          else if ("noteGone" in made) {
            const gone = new Set(made.noteGone.map((uid) => `${namespace}-${uid}`));
            await store.noteGone(term, "sessions", { namespaces: [namespace], isLive: (uid) => !gone.has(uid) });
          } else {
            const sessions = made.write.map(({ hour, offsetMs, isGone, isRequesterKnown, ...row }): SessionRow => {
              const uid = `${namespace}-${row.uid}`;
              const created_ms = created.get(uid) ?? beginMs + hour * hourMs + offsetMs;
              created.set(uid, created_ms);
              const idle_ms = row.state === "idle" ? created_ms + step : null;
              const requested_by = isRequesterKnown ? (requesters[row.uid] ?? null) : null;
              last.set(uid, Math.max(last.get(uid) ?? created_ms, idle_ms ?? 0));
              const source = row.uid === "d" ? "automation" : "person";
              const gone_ms = isGone ? nowMs : null;
              return aSessionRow(uid, { ...row, uid, namespace, source, requested_by, created_ms, idle_ms, gone_ms });
            });
            await store.write(term, { runs: [], sessions });
          }
        }
        const [fromMs = 0, untilMs = 0] = [one, other].map(([hour, ms]) => beginMs + hour * hourMs + ms).sort();
        const rows = (await db.selectFrom("sessions").selectAll().where("namespace", "=", namespace).execute()).filter(
          ({ created_ms }) => created_ms >= fromMs && created_ms < untilMs,
        );
        const selected = { namespace, fromMs, untilMs };
        const summary = await summarize(db, selected);
        expect(summary).toMatchObject({
          totalSessions: rows.length,
          activeUsers: new Set(rows.map((row) => row.requested_by).filter((user) => user !== null)).size,
          totalCostUsd: (rows.reduce((sum, row) => sum + row.cost_micro, 0) / 1_000_000)
            .toFixed(6)
            .replace(/\.?0+$/, ""),
        });
        const statuses = Map.groupBy(rows, ({ gone_ms, state, outcome }) =>
          gone_ms !== null ? "archived" : state === "active" ? "active" : (outcome ?? "created"),
        );
        const counted = Object.entries(summary.statusBreakdown).filter(([, count]) => count > 0);
        expect(Object.fromEntries(counted)).toEqual(
          Object.fromEntries([...statuses].map(([status, of]) => [status, of.length])),
        );
        const people = rows.filter(({ source }) => source === "person");
        const { entries } = await breakDown(db, "user", { selected: { ...selected, source: "person" }, limit: 9 });
        const byUser = Map.groupBy(people, ({ requested_by }) => requested_by);
        expect(
          Object.fromEntries(
            entries.map(({ key, sessions, completed, avgDurationMs }) => [key, { sessions, completed, avgDurationMs }]),
          ),
        ).toEqual(Object.fromEntries([...byUser].map(([user, of]) => [user, figuresOf(of)])));
        for (const { key, lastActiveAt } of entries) {
          const [least, most] = lastOf(byUser.get(key) ?? [], { untilMs, last });
          if (key === null) expect(lastActiveAt).toBeNull();
          else expect(lastActiveAt).toSatisfy((at: number) => least <= at && at <= most);
        }
        const days = [0, 1, 2, 3].map((day) => beginMs / 86_400_000 + day);
        const { series } = await seriesOf(db, "repository", { selected, days });
        expect(series.map(({ sessions }) => sessions)).toEqual(
          days.map((day) => rows.filter(({ created_ms }) => Math.floor(created_ms / 86_400_000) === day).length),
        );
      }),
      { numRuns: 15 },
    );
  });

  it("are added up anew where a migration has left none", async () => {
    const store = new ArchiveStore(db, new FakeClock(new Date(nowMs).toISOString()));
    const namespace = "anew";
    await store.write(await store.begin(), {
      runs: [],
      sessions: [aSessionRow("anew", { namespace, created_ms: beginMs })],
    });
    const window = { namespace, fromMs: beginMs, untilMs: beginMs + 24 * hourMs };
    await db.deleteFrom("session_sums").execute();
    expect(await summarize(db, window)).toMatchObject({ totalSessions: 0 });
    await store.begin();
    expect(await summarize(db, window)).toMatchObject({ totalSessions: 1 });
  });

  it.each([1, 2, 3, 4, 6, 7, 8])("are the same where %i rows are summed up at once", async (atOnce) => {
    const store = new ArchiveStore(db, new FakeClock(new Date(nowMs).toISOString()));
    const sessions = [0, 0, 0, 1, 1, hourMs, 24 * hourMs].map((ms, at) =>
      aSessionRow(`${atOnce}-${at}`, { namespace: `at-once-${atOnce}`, created_ms: beginMs + ms, cost_micro: 1 }),
    );
    await store.write(await store.begin(), { runs: [], sessions });
    const all = async () =>
      (await db.selectFrom("session_sums").selectAll().execute()).map((row) => JSON.stringify(row)).sort();
    const before = await all();
    await db.transaction().execute(async (transaction) => {
      await transaction.deleteFrom("session_sums").execute();
      await sumUp(transaction, sessionSums, atOnce);
    });
    expect(await all()).toEqual(before);
  });
}

function figuresOf(rows: readonly SessionRow[]) {
  const durations = rows
    .filter(({ state, gone_ms }) => state === "idle" || gone_ms !== null)
    .map(({ created_ms, idle_ms, gone_ms }) => (idle_ms ?? gone_ms ?? 0) - created_ms);
  const average = durations.reduce((sum, one) => sum + one, 0) / durations.length;
  return {
    sessions: rows.length,
    completed: rows.filter(({ outcome }) => outcome === "completed").length,
    avgDurationMs: durations.length === 0 ? null : Math.round(average),
  };
}

/** The least and the greatest instant of their last activity: rows know since when they are idle, and sums when they were. */
function lastOf(
  rows: readonly SessionRow[],
  until: { untilMs: number; last: ReadonlyMap<string, number> },
): [number, number] {
  if (rows.some(({ state, gone_ms }) => state === "active" && gone_ms === null)) return [until.untilMs, until.untilMs];
  return [
    Math.max(...rows.map(({ created_ms, idle_ms }) => idle_ms ?? created_ms)),
    Math.max(...rows.map(({ uid }) => until.last.get(uid) ?? 0)),
  ];
}
