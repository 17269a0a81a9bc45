import { describe, expect, it } from "vitest";

import { pullRequestFigures } from "../../src/gateway/archive/figures/pull-requests.ts";
import { daysTouched, type Selected } from "../../src/gateway/archive/figures/window.ts";
import type { Database } from "../../src/gateway/archive/open-archive.ts";
import type { PullRequestRow } from "../../src/gateway/archive/schema/tables.ts";
import { aPullRequestRow, nowMs } from "./archive-rows.ts";
import { eachWithEmptyArchive } from "./empty-archive.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** What the archive keeps and counts of pull requests on every engine; `open` gives an empty one. */
export function itCountsPullRequests(open: () => Promise<Database>): void {
  const archive = eachWithEmptyArchive(open, nowMs);

  const window: Selected = { fromMs: nowMs - 30 * dayMs, untilMs: nowMs };
  const put = (...pullRequests: PullRequestRow[]): Promise<void> =>
    archive.store.write(archive.term, { runs: [], sessions: [], pullRequests });
  const rows = () => archive.db.selectFrom("pull_requests").selectAll().orderBy("uid").execute();
  const figures = (selected = window, limit = 100) =>
    pullRequestFigures(archive.db, { selected, days: daysTouched(30, nowMs), limit });
  const inside = (uid: string, parts: Partial<PullRequestRow> = {}) =>
    aPullRequestRow(uid, { created_ms: nowMs - 2 * hourMs, ...parts });
  const merged = (uid: string, parts: Partial<PullRequestRow> = {}) =>
    inside(uid, { state: "merged", merged_ms: nowMs - hourMs, ...parts });

  describe("keeps", () => {
    it("each row as it was written last", async () => {
      const row = merged("p", { number: 7, source: "automation", cost_micro: 5, gone_ms: nowMs });
      await put(inside("p"));
      await put(row);
      expect(await rows()).toEqual([row]);
    });

    it("what its Session told, and the merge, once either is not known any more", async () => {
      const told = { source: "automation", cost_micro: 5 };
      await put(merged("p", told));
      await put(merged("p", { source: null, cost_micro: null, merged_ms: null }));
      expect(await rows()).toEqual([merged("p", told)]);
      await put(merged("p", { source: null, cost_micro: 9 }));
      expect(await rows()).toMatchObject([{ ...told, cost_micro: 9 }]);
    });

    it("nothing of a batch with one that cannot be stored, and no sum of it", async () => {
      const broken = { ...inside("q"), repository: null as unknown as string };
      await expect(put(inside("p"), broken)).rejects.toThrow();
      expect(await rows()).toEqual([]);
      expect((await figures()).funnel).toMatchObject({ created: 0 });
    });

    it("rows that are marked as gone, counted as before", async () => {
      await put(inside("live"), inside("gone"));
      await archive.store.noteGone(archive.term, "pull_requests", { namespaces: [], isLive: (uid) => uid === "live" });
      expect((await rows()).map(({ uid, gone_ms }) => [uid, gone_ms])).toEqual([
        ["gone", nowMs],
        ["live", null],
      ]);
      expect(await figures()).toMatchObject({ funnel: { created: 2, open: 2 }, openNow: { open: 1 } });
    });

    it("none that is older than the limit and gone, and no sum of such a day", async () => {
      const old = { created_ms: nowMs - 10 * dayMs, gone_ms: nowMs };
      await put(merged("old", { ...old, merged_ms: nowMs - 9 * dayMs }), inside("new"));
      await archive.store.expire(archive.term, nowMs - 5 * dayMs);
      expect((await rows()).map(({ uid }) => uid)).toEqual(["new"]);
      const { rows: left } = await archive.db.executeQuery(
        archive.db.selectFrom("pull_request_sums").select("key").compile(),
      );
      expect(left).toHaveLength(2);
    });

    it("sums that a migration has left out, once a writer begins", async () => {
      await put(merged("p"));
      await archive.db.deleteFrom("pull_request_sums").execute();
      await archive.store.begin();
      const wide = { fromMs: nowMs - 3 * dayMs, untilMs: nowMs + 2 * dayMs };
      expect(await figures(wide)).toMatchObject({ funnel: { created: 1, merged: 1 }, mergedInWindow: 1 });
    });
  });

  describe("counts", () => {
    it.each([
      ["2026-03-01T12:00:00.000Z", 1],
      ["2026-03-01T11:59:59.999Z", 0],
      ["2026-03-31T12:00:00.000Z", 0],
      ["2026-03-31T11:59:59.999Z", 1],
    ])("as created one of %s: %i, and as merged then", async (text, want) => {
      const ms = Date.parse(text);
      await put(inside("created", { created_ms: ms }));
      await put(merged("merged", { created_ms: nowMs - 80 * dayMs, merged_ms: ms }));
      expect(await figures()).toMatchObject({ funnel: { created: want }, mergedInWindow: want });
    });

    it("one that was opened 40 days ago and merged yesterday as merged in the window, and not in the funnel", async () => {
      const [created_ms, merged_ms] = [nowMs - 40 * dayMs, nowMs - dayMs];
      await put(merged("p", { created_ms, merged_ms }));
      expect(await figures()).toMatchObject({
        funnel: { created: 0, merged: 0 },
        acceptanceRate: null,
        mergedInWindow: 1,
        avgTimeToMergeMs: 39 * dayMs,
        byRepository: [{ repository: "api", created: 0, merged: 1 }],
      });
    });

    it("each state once, and none that was never opened", async () => {
      const states = ["draft", "open", "open", "merged", "closed", "closed", "closed", null];
      await put(...states.map((state, at) => inside(`p${at}`, { state, number: state === null ? null : at })));
      const { funnel, acceptanceRate, openNow } = await figures();
      expect(funnel).toEqual({ created: 7, draft: 1, open: 2, merged: 1, closed: 3 });
      expect([acceptanceRate, openNow]).toEqual([0.25, { draft: 1, open: 2 }]);
    });

    it("one that was merged since as merged, and not as open any more", async () => {
      await put(inside("p"));
      await put(merged("p"));
      expect(await figures()).toMatchObject({
        funnel: { created: 1, open: 0, merged: 1 },
        openNow: { draft: 0, open: 0 },
        mergedInWindow: 1,
        avgTimeToMergeMs: hourMs,
      });
    });

    it("what is open now of any age, of the namespace alone", async () => {
      await put(
        inside("old", { created_ms: nowMs - 300 * dayMs }),
        inside("gone", { gone_ms: nowMs }),
        inside("draft", { state: "draft", namespace: "other" }),
      );
      expect((await figures()).openNow).toEqual({ draft: 1, open: 1 });
      expect((await figures({ ...window, namespace: "other" })).openNow).toEqual({ draft: 1, open: 0 });
    });

    it("the costs of sessions by the merged ones, which may be none", async () => {
      await put(inside("a", { cost_micro: 1_000_000 }), inside("b", { cost_micro: null }));
      expect(await figures()).toMatchObject({ costUsd: "1", costPerMergedUsd: null });
      await put(...["c", "d", "e"].map((uid) => merged(uid, { cost_micro: 1_000_000 })));
      expect(await figures()).toMatchObject({ costUsd: "4", costPerMergedUsd: "1.333333" });
    });

    it("a merge that a provider's clock puts before the creation as one in no time", async () => {
      await put(merged("p", { merged_ms: nowMs - 3 * hourMs }));
      expect(await figures()).toMatchObject({ mergedInWindow: 1, avgTimeToMergeMs: 0 });
    });

    it("by who started the session, and those of unknown ones apart", async () => {
      await put(merged("a", { source: "automation" }), inside("b", { source: "automation" }), inside("c"));
      const bySource = [
        { startedBy: "people", created: 1, merged: 0 },
        { startedBy: "automations", created: 2, merged: 1 },
        { startedBy: "agents", created: 0, merged: 0 },
      ];
      expect((await figures()).bySource).toEqual(bySource);
      await put(merged("d", { source: null }));
      expect((await figures()).bySource).toEqual([...bySource, { startedBy: null, created: 1, merged: 1 }]);
    });

    it("by Repository, of two namespaces apart, most created first, then most merged, then by name", async () => {
      const of = (namespace: string, repository: string) => ({ namespace, repository });
      await put(
        inside("a", of("team", "z")),
        merged("b", of("team", "z")),
        merged("c", of("team", "b")),
        inside("d", of("team", "a")),
        inside("e", of("other", "a")),
      );
      const want = [
        { ...of("team", "z"), created: 2, merged: 1 },
        { ...of("team", "b"), created: 1, merged: 1 },
        { ...of("other", "a"), created: 1, merged: 0 },
        { ...of("team", "a"), created: 1, merged: 0 },
      ];
      expect(await figures()).toMatchObject({ byRepository: want, hasMore: false });
      expect(await figures(window, 4)).toMatchObject({ byRepository: want, hasMore: false });
      expect(await figures(window, 3)).toMatchObject({ byRepository: want.slice(0, 3), hasMore: true });
      expect((await figures({ ...window, namespace: "other" })).byRepository).toEqual([want[2]]);
    });

    it("by UTC day of creation and of merge, with every day that the window touches", async () => {
      const [created_ms, merged_ms] = [Date.parse("2026-03-30T23:59:59.999Z"), Date.parse("2026-03-31T00:00:00Z")];
      await put(merged("p", { created_ms, merged_ms }));
      const { series } = await figures();
      expect(series).toHaveLength(31);
      expect(series.slice(-3)).toEqual([
        { date: "2026-03-29", created: 0, merged: 0 },
        { date: "2026-03-30", created: 1, merged: 0 },
        { date: "2026-03-31", created: 0, merged: 1 },
      ]);
    });

    it("nothing as zeros, nulls and empty lists", async () => {
      const none = { created: 0, merged: 0 };
      const answer = await figures();
      expect({ ...answer, series: [] }).toEqual({
        funnel: { created: 0, draft: 0, open: 0, merged: 0, closed: 0 },
        acceptanceRate: null,
        costUsd: "0",
        costPerMergedUsd: null,
        mergedInWindow: 0,
        avgTimeToMergeMs: null,
        openNow: { draft: 0, open: 0 },
        bySource: ["people", "automations", "agents"].map((startedBy) => ({ startedBy, ...none })),
        byRepository: [],
        hasMore: false,
        series: [],
      });
    });
  });
}
