import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Run } from "../../src/api/v1alpha1/index.ts";
import { ArchiveStore } from "../../src/gateway/archive/archive-store.ts";
import { archivedRuns } from "../../src/gateway/archive/lists/archived-runs.ts";
import { archivedSessions } from "../../src/gateway/archive/lists/archived-sessions.ts";
import { RunHistory } from "../../src/gateway/archive/lists/run-history.ts";
import { trimmedHistory } from "../../src/gateway/archive/lists/trimmed-history.ts";
import { archiveReads } from "../../src/gateway/archive/read-archive.ts";
import type { Database } from "../../src/gateway/archive/open-archive.ts";
import type { RunRow, TrimmedRow } from "../../src/gateway/archive/schema/tables.ts";
import { invocationPage } from "../../src/gateway/automations/invocation-page.ts";
import { FakeClock } from "../../src/lib/fake-clock.ts";
import { aRunRow, aSessionRow, nowMs } from "./archive-rows.ts";
import { aRun } from "./builders.ts";

const dayMs = 86_400_000;

/** What lists must be on every engine; `open` gives an empty archive. */
export function itListsHistory(open: () => Promise<Database>): void {
  let db: Database;
  let store: ArchiveStore;
  let put: (runs: readonly RunRow[], sessions?: Parameters<typeof aSessionRow>[]) => Promise<void>;
  const clock = new FakeClock(new Date(nowMs).toISOString());
  beforeAll(async () => {
    db = await open();
    store = new ArchiveStore(db, clock);
    const term = await store.begin();
    put = (runs, sessions = []) =>
      store.write(term, { runs, sessions: sessions.map(([uid, parts]) => aSessionRow(uid, parts)) });
  });
  afterAll(() => db.destroy());

  /** All pages, one after the other. */
  async function walk<Page extends { hasMore: boolean; nextCursor: string | null }>(
    next: (cursor: string) => Promise<Page>,
  ): Promise<Page[]> {
    const pages: Page[] = [];
    for (let cursor = ""; pages.length < 100;) {
      const page = await next(cursor);
      pages.push(page);
      expect(page.hasMore).toBe(page.nextCursor !== null);
      if (page.nextCursor === null) return pages;
      cursor = page.nextCursor;
    }
    throw new Error("the pages do not end");
  }

  describe("of all Runs", () => {
    it("comes newest first, in pages that neither lose nor repeat one, also of the same second", async () => {
      const namespace = "runs-in-pages";
      const uids = Array.from({ length: 7 }, (_, at) => `${namespace}-${at}`);
      await put(uids.map((uid, at) => aRunRow(uid, { namespace, created_ms: nowMs - Math.floor(at / 3) * 1_000 })));
      const pages = await walk((cursor) => archivedRuns(db, { namespace, limit: 2, cursor, beginMs: 0 }));
      expect(pages.map(({ invocations }) => invocations.length)).toEqual([2, 2, 2, 1]);
      const found = pages.flatMap(({ invocations }) => invocations);
      expect(found.map(({ id }) => id).sort()).toEqual(uids);
      expect(found.map(({ createdAt }) => nowMs - createdAt)).toEqual([0, 0, 0, 1_000, 1_000, 1_000, 2_000]);
    });

    it.each([
      [2, true],
      [3, false],
    ])("says of three and a limit of %i that there are more: %j", async (limit, hasMore) => {
      const namespace = `limit-of-${limit}`;
      await put(["a", "b", "c"].map((name) => aRunRow(`${namespace}-${name}`, { namespace })));
      expect(await archivedRuns(db, { namespace, limit, beginMs: 0 })).toMatchObject({ hasMore });
    });

    it.each([
      ["at", 0, 1],
      ["after", 1, 0],
    ])("has of a Run that was created %s the beginning of its namespace %i ms", async (when, lateMs, want) => {
      const namespace = `begins-${when}`;
      await put([aRunRow(namespace, { namespace })]);
      const { invocations } = await archivedRuns(db, { namespace, limit: 9, beginMs: nowMs + lateMs });
      expect(invocations).toHaveLength(want);
    });

    it("shows each as an invocation, with its sessions", async () => {
      const namespace = "shown";
      const ended = { state: "failed", reason: "execution_timeout", message: "Too long", ended_ms: nowMs + 5 };
      const pushes = [{ repository: "shop-ui", branch: "fix/2", commit: "a".repeat(40) }];
      const rest = {
        branch: "fix/1",
        pushes: JSON.stringify(pushes),
        delivery_id: "d-1",
        gone_ms: nowMs + 9,
        accepted_ms: nowMs - 1,
      };
      await put(
        [aRunRow("shown", { namespace, name: "fix-1", ...ended, ...rest })],
        [
          ["b", { namespace, run_uid: "shown", name: "fix-1-b", outcome: "failed", state: "idle", repository: "api" }],
          ["a", { namespace, run_uid: "shown", name: "fix-1-a", outcome: "completed", state: "idle" }],
        ],
      );
      const { invocations } = await archivedRuns(db, { namespace, limit: 9, beginMs: 0 });
      expect(invocations).toEqual([
        {
          id: "fix-1",
          automationId: "shown.fix",
          source: "event",
          status: "failed",
          skipReason: null,
          failureReason: "execution_timeout",
          message: "Too long",
          createdAt: nowMs,
          scheduledAt: null,
          startedAt: nowMs,
          completedAt: nowMs + 5,
          executionDeadlineAt: null,
          deliveryId: "d-1",
          result: { summary: null, branch: "fix/1", commit: null, pushes },
          runs: [
            { id: "fix-1-a", target: null, state: "completed", failureReason: null },
            { id: "fix-1-b", target: "Repository/api", state: "failed", failureReason: null },
          ],
          goneAt: nowMs + 9,
        },
      ]);
    });

    it("counts of a skipped Run and its copy the copy", async () => {
      const namespace = "copies";
      const skipped = { namespace, state: "skipped", reason: "start_deadline_exceeded", trigger_type: "Schedule" };
      await put([aRunRow("first", skipped), aRunRow("second", { ...skipped, copy_of: "first" })]);
      const { invocations } = await archivedRuns(db, { namespace, limit: 9, beginMs: 0 });
      const shown = { id: "second", skipReason: "start_deadline_exceeded", failureReason: null, scheduledAt: nowMs };
      expect(invocations).toMatchObject([shown]);
    });
  });

  describe("of Sessions", () => {
    it("comes newest first, in pages, of one namespace or of all", async () => {
      const namespace = "sessions-in-pages";
      await put(
        [],
        Array.from({ length: 5 }, (_, at) => [`${namespace}-${at}`, { namespace, created_ms: nowMs + 9_000 - at }]),
      );
      const names = (pages: Awaited<ReturnType<typeof archivedSessions>>[]) =>
        pages.flatMap(({ sessions }) => sessions.map(({ name }) => name));
      const pages = await walk((cursor) => archivedSessions(db, { namespace, limit: 2, cursor, beginMs: 0 }));
      expect(names(pages)).toEqual([0, 1, 2, 3, 4].map((at) => `${namespace}-${at}`));
      expect(names([await archivedSessions(db, { limit: 3, beginMs: 0 })])).toEqual(names(pages).slice(0, 3));
    });

    it.each([
      [
        { source: "agent", state: "active", outcome: "failed" },
        { startedBy: "agents", status: "active" },
      ],
      [
        { source: "automation", state: "idle", outcome: "failed" },
        { startedBy: "automations", status: "failed" },
      ],
      [
        { state: "idle", outcome: "completed", gone_ms: nowMs, title: "Upgrade", cost_micro: 1_500_000 },
        { startedBy: "people", status: "archived", outcome: "completed", name: "Upgrade", costUsd: "1.5" },
      ],
      [{}, { status: "created", outcome: null, goneAt: null, idleAt: null }],
    ])("shows %j as %j", async (parts, want) => {
      const namespace = `as-${JSON.stringify(parts).length}`;
      await put([], [[namespace, { namespace, ...parts }]]);
      const { sessions } = await archivedSessions(db, { namespace, limit: 9, beginMs: 0 });
      expect(sessions).toMatchObject([{ namespace, ...want }]);
    });
  });

  const history = () =>
    new RunHistory({ database: db, clock, reads: archiveReads(() => undefined), logger: { error: () => undefined } });

  describe("of history that a budget has cut", () => {
    const cut = (namespaces: readonly string[], parts: Partial<TrimmedRow> = {}) =>
      db
        .insertInto("trimmed")
        .values(
          namespaces.map((namespace) => ({
            namespace,
            newest_ms: nowMs,
            budget: "namespace" as const,
            budget_bytes: 2_048,
            ...parts,
          })),
        )
        .execute();
    const told = (asked: { namespace?: string; beginMs: number }) =>
      trimmedHistory({ database: db, logger: { error: () => undefined } }, asked);

    it("has of a namespace its own, with what it has and may have, and nothing where history is whole", async () => {
      await put([aRunRow("cut-run", { namespace: "cut" })]);
      await cut(["cut", "cut-too"]);
      const bytes = (await store.sizes()).get("cut");
      const { trimmed } = await told({ namespace: "cut", beginMs: 0 });
      expect(trimmed).toMatchObject([
        { namespace: "cut", since: nowMs, budget: "namespace", budgetBytes: 2_048, bytes },
      ]);
      expect(await told({ namespace: "cut-too", beginMs: 0 })).toMatchObject({ trimmed: [{ bytes: 0 }] });
      expect(await told({ namespace: "whole", beginMs: 0 })).toEqual({});
    });

    it.each([
      ["before", -1, 1],
      ["at", 0, 1],
      ["after", 1, 0],
    ])("has none of an earlier namespace: one that begins %s the cut, by %i ms", async (when, laterMs, want) => {
      const namespace = `cut-begins-${when}`;
      await cut([namespace]);
      const { trimmed = [] } = await told({ namespace, beginMs: nowMs + laterMs });
      expect(trimmed).toHaveLength(want);
    });

    it.each([
      [99, 99],
      [100, 100],
      [101, 100],
    ])("of %i namespaces names %i, the latest first", async (count, want) => {
      // Later than what other tests have cut.
      const beginMs = nowMs + count * dayMs;
      const names = Array.from({ length: count }, (_, at) => `cut-${count}-${String(at).padStart(3, "0")}`);
      await cut(names.slice(1), { newest_ms: beginMs });
      await cut(names.slice(0, 1), { newest_ms: beginMs + 1 });
      const { trimmed = [] } = await told({ beginMs });
      expect([trimmed.length, trimmed[0]?.namespace]).toEqual([want, names[0]]);
      await db.deleteFrom("trimmed").where("namespace", "in", names).execute();
    });

    it.each([
      ["at", 0, 1],
      ["after", 1, 0],
    ])("is told with firings of an Automation that was made %s the cut, by %i ms", async (when, laterMs, want) => {
      const namespace = `cut-made-${when}`;
      await cut([namespace]);
      const automation = { namespace, name: "fix", uid: "made", beginMs: nowMs + laterMs };
      const page = await invocationPage([], automation, { query: { limit: 9 }, history: history() });
      expect(page.trimmed ?? []).toHaveLength(want);
    });

    it("shows the list without it before its table is made", async () => {
      await put([aRunRow("cut-later", { namespace: "cut-later", automation_uid: "cut-later" })]);
      await cut(["cut-later"]);
      await db.schema.alterTable("trimmed").renameTo("elsewhere").execute();
      const automation = { namespace: "cut-later", name: "fix", uid: "cut-later", beginMs: 0 };
      const page = await invocationPage([], automation, { query: { limit: 9 }, history: history() });
      await db.schema.alterTable("elsewhere").renameTo("trimmed").execute();
      expect(page).toMatchObject({ entries: [{ id: "cut-later" }], isComplete: true, trimmed: undefined });
    });
  });

  describe("of an Automation's firings", () => {
    it("goes on into the archive and has each once, whatever is where", async () => {
      let automations = 0;
      const firing = fc.record({
        createdS: fc.nat({ max: 2 }),
        acceptedMs: fc.nat({ max: 1 }),
        // The cluster prunes by how Runs ended, so that older ones may outlive newer ones.
        where: fc.constantFrom("cluster", "archive", "both"),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(firing, { maxLength: 12 }),
          fc.integer({ min: 1, max: 4 }),
          async (firings, limit) => {
            const uid = `paged-${(automations += 1)}`;
            const made = firings.map(({ createdS, acceptedMs, where }, at) => {
              // Names that a locale would order in another way than bytes.
              const name = `${["r", "r-", "r1", "r-1"][at % 4] ?? ""}${at}`;
              const created_ms = nowMs + createdS * 1_000;
              return {
                where,
                row: aRunRow(`${uid}-${at}`, {
                  automation_uid: uid,
                  name,
                  created_ms,
                  accepted_ms: nowMs + acceptedMs,
                }),
              };
            });
            await put(made.filter(({ where }) => where !== "cluster").map(({ row }) => row));
            const live = made.filter(({ where }) => where !== "archive").map(({ row }) => liveRun(row));
            const pages = await walk((cursor) =>
              invocationPage(
                live,
                { namespace: "team", name: "fix", uid, beginMs: 0 },
                { query: { limit, cursor }, history: history() },
              ).then(({ entries, ...rest }) => ({ entries, ...rest })),
            );
            const wanted = made
              .map(({ row }) => row)
              .sort(
                (one, other) =>
                  other.created_ms - one.created_ms ||
                  other.accepted_ms - one.accepted_ms ||
                  (other.name > one.name ? 1 : -1),
              );
            expect(pages.flatMap(({ entries }) => entries.map(({ id }) => id))).toEqual(wanted.map(({ name }) => name));
            expect(pages.every(({ isComplete, entries }) => isComplete && entries.length <= limit)).toBe(true);
          },
        ),
        { numRuns: 25 },
      );
    });

    it("is of the Automation with this UID alone", async () => {
      await put([aRunRow("of-before", { automation_uid: "before" })]);
      const page = await invocationPage(
        [],
        { namespace: "team", name: "fix", uid: "now", beginMs: 0 },
        { query: { limit: 9 }, history: history() },
      );
      expect(page.entries).toEqual([]);
    });

    it("is of the Automation's namespace alone, whatever UID Runs of another one name", async () => {
      const forged = { namespace: "evil", automation_uid: "forged" };
      await put(
        [
          aRunRow("ours", { automation_uid: "forged" }),
          aRunRow("theirs", forged),
          aRunRow("hides", { ...forged, copy_of: "ours" }),
        ],
        [["planted", { namespace: "evil", run_uid: "ours" }]],
      );
      const automation = { namespace: "team", name: "fix", uid: "forged", beginMs: 0 };
      const { entries } = await invocationPage([], automation, { query: { limit: 9 }, history: history() });
      expect(entries).toMatchObject([{ id: "ours", runs: [] }]);
    });

    it("says that it is not complete while the archive cannot be read", async () => {
      const live = [liveRun(aRunRow("there", { automation_uid: "away" }))];
      const away = { after: () => Promise.resolve(undefined) };
      const page = await invocationPage(
        live,
        { namespace: "team", name: "fix", uid: "away", beginMs: 0 },
        { query: { limit: 9 }, history: away },
      );
      expect(page).toMatchObject({ entries: [{ id: "there" }], isComplete: false, hasMore: false });
    });
  });
}

function liveRun({ uid, name, created_ms, accepted_ms, automation_uid }: RunRow): Run {
  return aRun({
    metadata: { uid, name, namespace: "team", creationTimestamp: new Date(created_ms).toISOString() },
    spec: {
      automationRef: { name: "fix", ...(automation_uid !== null && { uid: automation_uid }) },
      trigger: { type: "Webhook", time: new Date(accepted_ms).toISOString() },
    },
  });
}
