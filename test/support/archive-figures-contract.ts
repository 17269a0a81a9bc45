import { describe, expect, it } from "vitest";

import { breakDown } from "../../src/gateway/archive/figures/breakdown.ts";
import { summarize } from "../../src/gateway/archive/figures/summary.ts";
import { seriesOf } from "../../src/gateway/archive/figures/timeseries.ts";
import { daysTouched, type Selected } from "../../src/gateway/archive/figures/window.ts";
import type { Database } from "../../src/gateway/archive/open-archive.ts";
import type { SessionRow } from "../../src/gateway/archive/schema/tables.ts";
import { aRunRow, aSessionRow, nowMs } from "./archive-rows.ts";
import { eachWithEmptyArchive } from "./empty-archive.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** What figures must be on every engine; `open` gives an empty archive. */
export function itSumsUpSessions(open: () => Promise<Database>): void {
  const archive = eachWithEmptyArchive(open, nowMs);

  const window: Selected = { fromMs: nowMs - 30 * dayMs, untilMs: nowMs };
  const put = (...sessions: SessionRow[]): Promise<void> => archive.store.write(archive.term, { runs: [], sessions });
  const summary = (...rows: SessionRow[]) => put(...rows).then(() => summarize(archive.db, window));
  const inside = (uid: string, parts: Partial<SessionRow> = {}) =>
    aSessionRow(uid, { created_ms: nowMs - hourMs, ...parts });
  const none = { created: 0, active: 0, completed: 0, failed: 0, cancelled: 0, archived: 0 };

  describe("in all", () => {
    it.each([
      ["2026-03-01T12:00:00.000Z", 1],
      ["2026-03-01T11:59:59.999Z", 0],
      ["2026-03-31T12:00:00.000Z", 0],
      ["2026-03-31T11:59:59.999Z", 1],
    ])("that were created at %s: %i in 30 days", async (created, want) => {
      const answer = await summary(aSessionRow("s", { created_ms: Date.parse(created) }));
      expect(answer).toMatchObject({ totalSessions: want });
    });

    it("that were created 40 days ago and ended yesterday not at all", async () => {
      const old = { created_ms: nowMs - 40 * dayMs, idle_ms: nowMs - dayMs, outcome: "completed", state: "idle" };
      expect(await summary(aSessionRow("s", old))).toMatchObject({ totalSessions: 0, completionRate: null });
    });

    it("of which 2 completed, 1 failed, 1 was cancelled, 3 are active and 1 is archived, as half completed", async () => {
      const idle = (outcome: string, uid: string) => inside(uid, { state: "idle", outcome });
      const rows = [idle("completed", "a"), idle("completed", "b"), idle("failed", "c"), idle("cancelled", "d")];
      for (const uid of ["e", "f", "g"]) rows.push(inside(uid, { state: "active" }));
      expect(await summary(...rows, inside("h", { gone_ms: nowMs }))).toMatchObject({
        totalSessions: 8,
        statusBreakdown: { ...none, completed: 2, failed: 1, cancelled: 1, active: 3, archived: 1 },
        completionRate: 0.5,
      });
    });

    it("that completed and are gone as archived, and still as completed", async () => {
      expect(await summary(inside("s", { state: "idle", outcome: "completed", gone_ms: nowMs }))).toMatchObject({
        statusBreakdown: { ...none, archived: 1 },
        outcomes: { completed: 1, failed: 0, cancelled: 0 },
        completionRate: 1,
      });
    });

    it("that are at work again as active, and still with their last outcome", async () => {
      expect(await summary(inside("s", { state: "active", outcome: "failed" }))).toMatchObject({
        statusBreakdown: { ...none, active: 1 },
        outcomes: { completed: 0, failed: 1, cancelled: 0 },
      });
    });

    it("that have done nothing as created", async () => {
      expect(await summary(inside("s"))).toMatchObject({ statusBreakdown: { ...none, created: 1 } });
    });

    it("as zeros where there is none", async () => {
      expect(await summary()).toEqual({
        totalSessions: 0,
        activeUsers: 0,
        totalMessages: 0,
        totalCostUsd: "0",
        avgCostUsd: "0",
        statusBreakdown: none,
        outcomes: { completed: 0, failed: 0, cancelled: 0 },
        completionRate: null,
      });
    });

    it("with costs, prompts and different people, of the wanted namespace and source alone", async () => {
      const cost = (uid: string, cost_micro: number, parts: Partial<SessionRow> = {}) =>
        inside(uid, { cost_micro, messages: 2, ...parts });
      await put(
        cost("a", 1_000_000, { requested_by: "ana" }),
        cost("b", 500_000, { requested_by: "ana" }),
        cost("c", 1, { requested_by: "ben" }),
        cost("d", 7, { source: "automation", requested_by: "cem" }),
        cost("e", 9, { namespace: "other", requested_by: "dan" }),
      );
      expect(await summarize(archive.db, { ...window, namespace: "team", source: "person" })).toMatchObject({
        totalSessions: 3,
        activeUsers: 2,
        totalMessages: 6,
        totalCostUsd: "1.500001",
        avgCostUsd: "0.5",
      });
      expect(await summarize(archive.db, window)).toMatchObject({ totalSessions: 5, activeUsers: 4 });
    });

    it("whose costs are more together than a number has exactly", async () => {
      const rows = Array.from({ length: 10 }, (_, at) => inside(`s${at}`, { cost_micro: 1_000_000_000_000_000 }));
      expect(await summary(...rows)).toMatchObject({ totalCostUsd: "10000000000" });
      expect((await breakDown(archive.db, "user", { selected: window, limit: 1 })).entries).toMatchObject([
        { costUsd: "10000000000" },
      ]);
      const { series } = await seriesOf(archive.db, "user", { selected: window, days: daysTouched(7, nowMs) });
      expect(series.at(-1)).toMatchObject({ costUsd: "10000000000" });
    });

    it("of unknown people, who add no user", async () => {
      expect(await summary(inside("s"))).toMatchObject({ totalSessions: 1, activeUsers: 0 });
    });
  });

  describe("by day", () => {
    const days = daysTouched(30, nowMs);
    const series = (by: "user" | "repository" | "automation" = "user", selected = window) =>
      seriesOf(archive.db, by, { selected, days });

    it("with every day that the window touches, and zeros where there is none", async () => {
      const { series: answer, groups } = await series();
      expect(groups).toEqual([]);
      expect(answer).toHaveLength(31);
      expect(answer[0]).toEqual({ date: "2026-03-01", sessions: 0, costUsd: "0", groups: [], others: 0 });
      expect(answer.at(-1)).toMatchObject({ date: "2026-03-31" });
    });

    it.each([
      ["2026-03-01T12:00:00.000Z", "2026-03-01"],
      ["2026-03-30T23:00:00.000Z", "2026-03-30"],
      ["2026-03-30T23:59:59.999Z", "2026-03-30"],
      ["2026-03-31T00:00:00.000Z", "2026-03-31"],
      ["2026-03-31T11:59:59.999Z", "2026-03-31"],
    ])("of creation: %s is on %s", async (created, want) => {
      await put(aSessionRow("s", { created_ms: Date.parse(created), cost_micro: 250_000 }));
      const { series: answer } = await series();
      expect(answer.filter(({ sessions }) => sessions > 0)).toEqual([
        { date: want, sessions: 1, costUsd: "0.25", groups: [1], others: 0 },
      ]);
    });

    it("with the largest 20 groups apart, in their order, and the others in sum", async () => {
      const rows = Array.from({ length: 21 }, (_, user) => {
        const requested_by = `user-${String(user).padStart(2, "0")}`;
        const sessions = user === 20 ? 1 : 2;
        return Array.from({ length: sessions }, (_unused, at) => inside(`${user}-${at}`, { requested_by }));
      });
      await put(...rows.flat(), inside("nameless", { created_ms: nowMs - 2 * dayMs }));
      const { groups, series: answer } = await series();
      expect(groups.map(({ displayName, sessions }) => [displayName, sessions])).toEqual(
        Array.from({ length: 20 }, (_, user) => [`user-${String(user).padStart(2, "0")}`, 2]),
      );
      expect(answer.at(-1)).toMatchObject({ sessions: 41, groups: Array.from({ length: 20 }, () => 2), others: 1 });
      expect(answer.at(-3)).toMatchObject({ sessions: 1, groups: Array.from({ length: 20 }, () => 0), others: 1 });
    });

    it("with Repositories of the same name in two namespaces apart", async () => {
      await put(
        inside("a", { repository: "api" }),
        inside("b", { repository: "api", namespace: "other" }),
        inside("c", { repository: "api", namespace: "other" }),
      );
      const { groups, series: answer } = await series("repository");
      expect(groups).toMatchObject([
        { namespace: "other", key: "api" },
        { namespace: "team", key: "api" },
      ]);
      expect(answer.at(-1)).toMatchObject({ groups: [2, 1] });
    });

    it.each(["__proto__", "constructor", "a\nb", "'; DROP TABLE sessions; --", "\u202e<script>"])(
      "of a user named %j",
      async (requested_by) => {
        await put(inside("s", { requested_by }));
        const { groups, series: answer } = await series();
        expect(groups).toMatchObject([{ key: requested_by, displayName: requested_by }]);
        expect(answer.at(-1)).toMatchObject({ groups: [1] });
      },
    );
  });

  describe("by group", () => {
    const entries = async (by: "user" | "repository" | "automation", limit = 100) =>
      breakDown(archive.db, by, { selected: window, limit });

    it("with all that is known of each", async () => {
      const idle = { state: "idle", requested_by: "ana", messages: 3, cost_micro: 500_000 };
      await put(
        inside("a", { ...idle, outcome: "completed", idle_ms: nowMs - 40 * 60_000 }),
        inside("b", { ...idle, outcome: "failed", idle_ms: nowMs - 50 * 60_000, gone_ms: nowMs }),
        inside("c", { requested_by: "ana" }),
      );
      expect(await entries("user")).toEqual({
        by: "user",
        hasMore: false,
        entries: [
          {
            key: "ana",
            namespace: null,
            displayName: "ana",
            sessions: 3,
            completed: 1,
            failed: 1,
            cancelled: 0,
            completionRate: 0.5,
            costUsd: "1",
            messageCount: 6,
            avgDurationMs: 15 * 60_000,
            lastActiveAt: nowMs - 40 * 60_000,
          },
        ],
      });
    });

    it.each([
      ["no session is idle or gone", {}, null],
      ["one is gone that never worked", { gone_ms: nowMs - 1 }, hourMs - 1],
      ["one is active", { state: "active" }, null],
    ])("and the average duration while %s", async (_, parts, want) => {
      await put(inside("s", parts));
      expect((await entries("user")).entries).toMatchObject([{ avgDurationMs: want }]);
    });

    it("and now as the last activity while one is active", async () => {
      await put(inside("s", { requested_by: "ana", state: "active" }));
      expect((await entries("user")).entries).toMatchObject([{ lastActiveAt: nowMs }]);
    });

    it.each([
      ["user", "Unknown user"],
      ["repository", "No repository"],
      ["automation", "No automation"],
    ] as const)("of sessions without %s as %s", async (by, displayName) => {
      await put(inside("s"));
      expect((await entries(by)).entries).toMatchObject([{ key: null, displayName, lastActiveAt: null }]);
    });

    it("with the names of Automations", async () => {
      await archive.store.write(archive.term, {
        runs: [aRunRow("r", { automation: "nightly", automation_uid: "u-1" })],
        sessions: [inside("a", { automation_uid: "u-1" }), inside("b", { automation_uid: "u-0" })],
      });
      expect((await entries("automation")).entries).toMatchObject([
        { key: "u-1", namespace: "team", displayName: "nightly" },
        { key: "u-0", namespace: "team", displayName: "u-0" },
      ]);
    });

    it("with no name that a Run of another namespace gives an Automation", async () => {
      await archive.store.write(archive.term, {
        runs: [aRunRow("r", { namespace: "other", automation: "secret-name", automation_uid: "u-2" })],
        sessions: [inside("a", { automation_uid: "u-2" })],
      });
      expect((await entries("automation")).entries).toMatchObject([{ key: "u-2", displayName: "u-2" }]);
    });

    it.each([
      [2, true],
      [3, false],
      [4, false],
    ])("most sessions first, then by name; %i of three leave some out: %j", async (limit, hasMore) => {
      const of = (user: string, count: number) =>
        Array.from({ length: count }, (_, at) => inside(`${user}-${at}`, { requested_by: user }));
      await put(...of("cem", 1), ...of("ana", 1), ...of("ben", 2));
      const answer = await entries("user", limit);
      expect(answer.entries.map(({ displayName }) => displayName)).toEqual(["ben", "ana", "cem"].slice(0, limit));
      expect(answer.hasMore).toBe(hasMore);
    });

    it("as nothing where there is none", async () => {
      expect(await entries("user")).toEqual({ by: "user", entries: [], hasMore: false });
    });
  });
}
