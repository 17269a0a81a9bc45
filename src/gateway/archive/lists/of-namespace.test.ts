import { afterEach, beforeEach, expect, it } from "vitest";

import { archiveInMemory } from "../../../../test/support/archive-in-memory.ts";
import { aRunRow, aSessionRow } from "../../../../test/support/archive-rows.ts";
import { FakeClock } from "../../../lib/fake-clock.ts";
import { ArchiveStore } from "../archive-store.ts";
import { breakDown } from "../figures/breakdown.ts";
import type { Database } from "../open-archive.ts";
import type { RunRow } from "../schema/tables.ts";
import { archivedRuns } from "./archived-runs.ts";
import { RunHistory } from "./run-history.ts";
import { archiveReads } from "../read-archive.ts";

/** A Run of a tenant's, whose UIDs in `spec` and annotations are those of a stranger's objects. */
const forged = (uid: string, parts: Partial<RunRow>): RunRow =>
  aRunRow(uid, { namespace: "evil", automation: "forged", ...parts });

let db: Database;
beforeEach(async () => {
  db = archiveInMemory();
  const store = new ArchiveStore(db, new FakeClock());
  const runs = [
    aRunRow("ours"),
    forged("shown", {}),
    forged("hides", { automation_uid: "another", copy_of: "ours" }),
    forged("names", { automation_uid: "unnamed" }),
  ];
  const sessions = [
    aSessionRow("ours-0", { run_uid: "ours", automation_uid: "unnamed", source: "automation" }),
    aSessionRow("planted", { namespace: "evil", run_uid: "ours", source: "automation" }),
  ];
  await store.write(await store.begin(), { runs, sessions });
});
afterEach(() => db.destroy());

it("an Automation's history has the Runs and sessions of its namespace, and no other hides or joins them", async () => {
  const clock = new FakeClock();
  const history = new RunHistory({
    database: db,
    clock,
    reads: archiveReads(() => undefined),
    logger: { error: () => expect.unreachable() },
  });
  const wanted = { cursor: "", limit: 9, isLive: () => false };
  const found = await history.after({ namespace: "team", uid: "automation-1", beginMs: 0 }, wanted);
  expect(found?.invocations.map(({ invocation }) => [invocation.id, invocation.runs.map(({ id }) => id)])).toEqual([
    ["ours", ["ours-0"]],
  ]);
});

it("a namespace's list has a Run that a copy of another namespace says to stand for", async () => {
  const { invocations } = await archivedRuns(db, { namespace: "team", limit: 9, beginMs: 0 });
  expect(invocations.map(({ id }) => id)).toEqual(["ours"]);
});

it("a copy of its own namespace stands for a Run", async () => {
  const store = new ArchiveStore(db, new FakeClock());
  await store.write(await store.begin(), { runs: [aRunRow("copy", { copy_of: "ours" })], sessions: [] });
  const { invocations } = await archivedRuns(db, { namespace: "team", limit: 9, beginMs: 0 });
  expect(invocations.map(({ id }) => id)).toEqual(["copy"]);
});

it("figures give no Automation a name that a Run of another namespace gives it", async () => {
  const selected = { fromMs: 0, untilMs: Date.UTC(2_100, 0), namespace: "team" };
  const { entries } = await breakDown(db, "automation", { selected, limit: 9 });
  expect(entries).toMatchObject([{ key: "unnamed", displayName: "unnamed" }]);
});
