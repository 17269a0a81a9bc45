import { afterEach, beforeEach, expect, it } from "vitest";

import { FakeClock } from "../../src/lib/fake-clock.ts";
import { ArchiveStore, TermOverError } from "../../src/gateway/archive/archive-store.ts";
import type { Database } from "../../src/gateway/archive/open-archive.ts";
import { aPullRequestRow, aRunRow, aSessionRow, nowMs } from "./archive-rows.ts";

/** What the archive must do on every engine; `open` gives an empty one. */
export function itKeepsHistory(open: () => Promise<Database>): void {
  let db: Database;
  let store: ArchiveStore;
  let term: number;
  const clock = new FakeClock(new Date(nowMs).toISOString());
  beforeEach(async () => {
    db = await open();
    store = new ArchiveStore(db, clock);
    term = await store.begin();
  });
  afterEach(() => db.destroy());

  const runs = () => db.selectFrom("runs").selectAll().orderBy("uid").execute();
  const sessions = () => db.selectFrom("sessions").selectAll().orderBy("uid").execute();

  it("gives back what was written, and numbers as numbers", async () => {
    const run = aRunRow("r", { ended_ms: nowMs + 1, message: "as\u202e it <b>is</b>\n" });
    const session = aSessionRow("s", { cost_micro: 1_000_000_000_000, requested_by: "ana" });
    await store.write(term, { runs: [run], sessions: [session] });
    expect(await runs()).toEqual([run]);
    expect(await sessions()).toEqual([session]);
  });

  it("stores texts that no engine takes as they are, and names that are too long for an index", async () => {
    const bad = "a\0\ud800";
    // Characters of four bytes that no engine can compress.
    const long = Array.from({ length: 1_000 }, (_, at) => String.fromCodePoint(0x20000 + ((at * 7919) % 40_000))).join(
      "",
    );
    await store.write(term, {
      runs: [
        aRunRow("bad", { automation_uid: bad, copy_of: bad, delivery_id: bad }),
        aRunRow("long", { automation_uid: long, copy_of: long, requested_by: long }),
      ],
      sessions: [
        aSessionRow("bad", { parent_uid: bad, run_uid: bad, requested_by: bad }),
        aSessionRow("long", { parent_uid: long, run_uid: long, requested_by: long, automation_uid: long }),
      ],
      pullRequests: [aPullRequestRow("bad", { session_uid: bad }), aPullRequestRow("long", { full_name: long })],
    });
    expect(await runs()).toMatchObject([{ automation_uid: "a\ufffd", copy_of: "a\ufffd" }, {}]);
    expect(await sessions()).toMatchObject([{ parent_uid: "a\ufffd", run_uid: "a\ufffd" }, {}]);
  });

  it("keeps one row for each UID, the one that was written last", async () => {
    await store.write(term, { runs: [aRunRow("r")], sessions: [aSessionRow("s")] });
    await store.write(term, {
      runs: [aRunRow("r", { state: "completed", gone_ms: nowMs })],
      sessions: [aSessionRow("s", { messages: 2, state: "idle" })],
    });
    expect(await runs()).toEqual([aRunRow("r", { state: "completed", gone_ms: nowMs })]);
    expect(await sessions()).toEqual([aSessionRow("s", { messages: 2, state: "idle" })]);
  });

  it("keeps the result of a Run that history has emptied, and what deleted prompts told of a session", async () => {
    const result = { summary: "done", branch: "fix/1", commit_id: "a".repeat(40), pushes: "[]" };
    const told = { requested_by: "ana", outcome: "completed" };
    await store.write(term, { runs: [aRunRow("r", result)], sessions: [aSessionRow("s", told)] });
    await store.write(term, { runs: [aRunRow("r")], sessions: [aSessionRow("s", { requested_by: "ben" })] });
    expect(await runs()).toMatchObject([result]);
    expect(await sessions()).toMatchObject([told]);
  });

  it("takes the outcome of a later prompt", async () => {
    await store.write(term, { runs: [], sessions: [aSessionRow("s", { outcome: "failed" })] });
    await store.write(term, { runs: [], sessions: [aSessionRow("s", { outcome: "completed" })] });
    expect(await sessions()).toMatchObject([{ outcome: "completed" }]);
  });

  it.each([499, 500, 501, 1_250])("stores %i rows at once", async (count) => {
    await store.write(term, { runs: Array.from({ length: count }, (_, at) => aRunRow(`r${at}`)), sessions: [] });
    expect(await runs()).toHaveLength(count);
  });

  it("stores nothing of a batch with a row that cannot be stored", async () => {
    const broken = { ...aSessionRow("s"), name: null as unknown as string };
    await expect(store.write(term, { runs: [aRunRow("r")], sessions: [broken] })).rejects.toThrow();
    expect(await runs()).toEqual([]);
  });

  it("refuses every write of an earlier term, and takes those of the new one", async () => {
    await store.write(term, { runs: [aRunRow("r")], sessions: [] });
    const next = await new ArchiveStore(db, clock).begin();
    const held = { runs: [aRunRow("r", { state: "failed" }), aRunRow("q")], sessions: [] };
    await expect(store.write(term, held)).rejects.toThrow(TermOverError);
    const nothingLives = { namespaces: [], isLive: () => false };
    await expect(store.noteGone(term, "runs", nothingLives)).rejects.toThrow(TermOverError);
    await expect(store.expire(term, nowMs + 1)).rejects.toThrow(TermOverError);
    expect(await runs()).toEqual([aRunRow("r")]);
    await store.write(next, held);
    expect(await runs()).toHaveLength(2);
  });

  it("gives two that begin at once different terms", async () => {
    const begun = await Promise.all([store.begin(), new ArchiveStore(db, clock).begin()]);
    expect(begun.sort()).toEqual([term + 1, term + 2]);
  });

  it("marks rows whose object is gone, of the served namespaces alone, and keeps when it was seen", async () => {
    const rows = ["live", "gone"].map((uid) => aRunRow(uid));
    const elsewhere = aRunRow("elsewhere", { namespace: "other" });
    const before = aRunRow("before", { gone_ms: nowMs - 5 });
    await store.write(term, { runs: [...rows, elsewhere, before], sessions: [aSessionRow("s")] });
    await store.noteGone(term, "runs", { namespaces: ["team"], isLive: (uid) => uid === "live" });
    const seen = Object.fromEntries((await runs()).map(({ uid, gone_ms }) => [uid, gone_ms]));
    expect(seen).toEqual({ live: null, gone: nowMs, elsewhere: null, before: nowMs - 5 });
    expect(await sessions()).toMatchObject([{ gone_ms: null }]);
  });

  it("deletes rows that are older than the limit and whose object is gone", async () => {
    const gone = { gone_ms: nowMs };
    await store.write(term, {
      runs: [
        aRunRow("older", { created_ms: nowMs - 1, ...gone }),
        aRunRow("at", { created_ms: nowMs, ...gone }),
        aRunRow("live", { created_ms: nowMs - 1 }),
      ],
      sessions: [aSessionRow("older", { created_ms: nowMs - 1, ...gone }), aSessionRow("at", gone)],
    });
    await store.expire(term, nowMs);
    expect((await runs()).map(({ uid }) => uid)).toEqual(["at", "live"]);
    expect((await sessions()).map(({ uid }) => uid)).toEqual(["at"]);
  });

  it("keeps what is there when it begins again", async () => {
    await store.write(term, { runs: [aRunRow("r")], sessions: [] });
    await store.begin();
    expect(await runs()).toEqual([aRunRow("r")]);
  });

  it("leaves alone what a newer release has made", async () => {
    await db
      .insertInto("kysely_migration" as "writer")
      .values({ name: "9999", timestamp: "" } as never)
      .execute();
    await expect(store.begin()).rejects.toThrow("9999");
  });
}
