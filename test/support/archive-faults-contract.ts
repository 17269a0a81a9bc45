import { Migrator } from "kysely/migration";
import { beforeAll, expect, it } from "vitest";

import { Run } from "../../src/api/v1alpha1/index.ts";
import { isStored } from "../../src/domain/archive/stored-mark.ts";
import { ArchiveStore } from "../../src/gateway/archive/archive-store.ts";
import type { Database } from "../../src/gateway/archive/open-archive.ts";
import { migrations } from "../../src/gateway/archive/schema/migrations.ts";
import { FakeClock } from "../../src/lib/fake-clock.ts";
import { aPullRequestRow, aRunRow, aSessionRow, firstRunRow } from "./archive-rows.ts";
import { ArchivedCollections } from "./archive-writer-world.ts";
import { aPrompt, aPullRequest, aRun, aSession, aVerdict } from "./builders.ts";
import { type Fault, FaultyArchive } from "./faulty-archive.ts";

const dayMs = 86_400_000;
const namespace = "team";

/** Every statement by which the writer changes an archive. The first one that fits names it. */
const writes: readonly [name: string, statement: RegExp, only?: "PostgreSQL"][] = [
  ["the beginning of a transaction", /^begin$/],
  ["the end of a transaction", /^commit$/],
  ["the new term", /^update "writer" set "term" = "term" \+/],
  ["the check of the term", /^update "writer"/],
  ["the sizes of all rows", /INTO sizes [^]* created_ms > \S+ AND TRUE/],
  ["what rows took", /INTO sizes [^]* -1 \* sum/],
  ["what rows take", /INTO sizes [^]* 1 \* sum/],
  ["the sums of all sessions", /FROM "sessions" WHERE created_ms > \S+ AND TRUE/],
  ["the sums of all pull requests", /FROM "pull_requests" WHERE created_ms > \S+ AND TRUE/],
  ["what sessions added", /INTO "session_sums" [^]* -1 \* sum/],
  ["what sessions add", /INTO "session_sums" [^]* 1 \* sum/],
  ["what pull requests added", /INTO "pull_request_sums" [^]* -1 \* sum/],
  ["what pull requests add", /INTO "pull_request_sums" [^]* 1 \* sum/],
  ["the table of a month", /^CREATE TABLE/, "PostgreSQL"],
  ["the table of a month as a partition", /ATTACH PARTITION/, "PostgreSQL"],
  ["runs", /^insert into "runs"/],
  ["sessions", /^insert into "sessions"/],
  ["pull requests", /^insert into "pull_requests"/],
  ["runs that are gone", /^update "runs"/],
  ["sessions that are gone", /^update "sessions"/],
  ["pull requests that are gone", /^update "pull_requests"/],
  ["sums that are too old", /^delete from "session_sums"/],
  ["sums of pull requests that are too old", /^delete from "pull_request_sums"/],
  ["notes of what is too old", /^delete from "trimmed"/],
  ["runs that are too old", /^delete from "runs"/],
  ["sessions that are too old", /^delete from "sessions"/],
  ["pull requests that are too old", /^delete from "pull_requests"/],
  ["what deleted rows took", /^update "sizes"/],
  ["namespaces without rows", /^delete from "sizes"/],
  ["how long to wait for a lock", /^SET LOCAL/, "PostgreSQL"],
  ["the table of a month that is past", /^DROP TABLE/, "PostgreSQL"],
];
/** Their failures keep rows that are too old, and nothing waits for them. */
const expiries = writes.slice(-10).map(([name]) => name);

function nameOf(statement: string): string | undefined {
  return writes.find(([, pattern]) => pattern.test(statement))?.[0];
}

/** A writer of some days of history: rows from before, changes, deletions and rows that grow too old. */
class History {
  readonly archive: FaultyArchive;
  readonly statements: string[] = [];
  failures = 0;
  readonly #db: Database;
  readonly #clock = new FakeClock();
  readonly #cluster = new ArchivedCollections();
  readonly #writer;
  readonly #stop = new AbortController();
  #ended: Promise<unknown> = Promise.resolve();

  constructor(db: Database) {
    this.#db = db;
    this.archive = new FaultyArchive(db);
    this.#writer = this.#cluster.writer(new ArchiveStore(this.archive.database, this.#clock), this.#clock);
  }

  /** Lets the statements fail that `fault` says, asked with the number of each. */
  failWhere(fault: (statement: string, index: number) => Fault | undefined): void {
    this.archive.fault = (statement) => {
      const said = fault(statement, this.statements.push(statement) - 1);
      if (said) this.failures += 1;
      return said;
    };
  }

  async seed(): Promise<void> {
    const store = new ArchiveStore(this.#db, this.#clock);
    const [nowMs, oldMs] = [this.#clock.now().getTime(), Date.parse("2026-01-10T00:00:00Z")];
    const gone = { created_ms: oldMs, gone_ms: oldMs };
    const idle = { state: "idle", outcome: "completed" };
    await store.write(await store.begin(), {
      runs: [aRunRow("old", gone), aRunRow("lost", { created_ms: nowMs })],
      sessions: [
        aSessionRow("old", { ...gone, ...idle, idle_ms: oldMs + 1 }),
        aSessionRow("lost", { created_ms: nowMs, ...idle, idle_ms: nowMs + 1 }),
      ],
      pullRequests: [aPullRequestRow("old", gone), aPullRequestRow("lost", { created_ms: nowMs })],
    });
    // As a migration leaves them.
    await this.#db.deleteFrom("session_sums").execute();
    await this.#db.deleteFrom("pull_request_sums").execute();
    await this.#db.deleteFrom("sizes").execute();
  }

  /** All of it, with time for what failed to be tried again. */
  async happen(): Promise<void> {
    await this.begin();
    await this.goOn();
    await this.end();
  }

  async begin(): Promise<void> {
    const { runs, sessions, prompts, pullRequests } = this.#cluster;
    this.#ended = this.#writer.run(this.#stop.signal);
    runs.put(aRun({ metadata: { ...named("a"), creationTimestamp: "2026-05-04T10:00:00Z" } }));
    runs.put(aRun({ metadata: { ...named("early"), creationTimestamp: "2026-01-15T10:00:00Z" } }));
    sessions.put(aSession({ metadata: { ...named("s"), creationTimestamp: "2026-05-04T10:00:00Z" } }));
    prompts.put(aPrompt({ metadata: named("p"), spec: { sessionRef: { name: "s" } } }));
    pullRequests.put(aPullRequest({ metadata: { ...named("pr"), creationTimestamp: "2026-05-04T10:00:00Z" } }));
    await this.#pass(12);
  }

  async goOn(): Promise<void> {
    const { runs, sessions, prompts, pullRequests } = this.#cluster;
    const status = { conditions: [aVerdict(true, "Completed", this.#clock.now())] };
    runs.put(aRun({ metadata: { ...named("a"), creationTimestamp: "2026-05-04T10:00:00Z" }, status }));
    runs.put(aRun({ metadata: { ...named("next-month"), creationTimestamp: "2026-06-04T10:00:00Z" } }));
    runs.remove({ namespace, name: "early" });
    prompts.put(aPrompt({ metadata: named("p"), spec: { sessionRef: { name: "s" } }, status }));
    sessions.put(aSession({ metadata: { ...named("t"), creationTimestamp: "2026-06-04T10:00:00Z" } }));
    const merged = { number: 7, githubState: "Merged", mergeTime: "2026-05-04T11:00:00Z" } as const;
    pullRequests.put(
      aPullRequest({ metadata: { ...named("pr"), creationTimestamp: "2026-05-04T10:00:00Z" }, status: merged }),
    );
    await this.#pass(12);
    this.#clock.setForward(dayMs);
    await this.later(dayMs);
  }

  async end(): Promise<void> {
    await this.later();
    this.#stop.abort();
    await this.#ended;
  }

  /** Lets enough time pass that what has failed is tried again. */
  async later(ms = 10 * 60_000): Promise<void> {
    this.#clock.advance(ms);
    await this.#pass(5);
  }

  /** Whether the mark covers all Runs that there are. */
  async isAllMarked(): Promise<boolean> {
    const { items } = await this.#cluster.runs.list(Run);
    return items.every((run) => isStored(this.#writer.mark, "runs", run));
  }

  /** Lets seconds pass, none of them while a statement is under way. What the mark covers is stored at every moment. */
  async #pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      for (let idle = 0; idle < 5; idle = this.archive.isBusy ? 0 : idle + 1) await new Promise(setImmediate);
      await this.#expectMarkToHold();
      this.#clock.advance(1_000);
    }
  }

  async #expectMarkToHold(): Promise<void> {
    const { mark } = this.#writer;
    if (!mark) return;
    const rows = await this.#db.selectFrom("runs").select(["uid", "state"]).execute();
    const states = new Map(rows.map(({ uid, state }) => [uid, state]));
    const { items } = await this.#cluster.runs.list(Run);
    for (const run of items) {
      if (!isStored(mark, "runs", run)) continue;
      expect(states.get(run.metadata.uid ?? "")).toBe(run.status?.conditions ? "completed" : "starting");
    }
  }
}

function named(name: string): { name: string; namespace: string; uid: string } {
  return { name, namespace, uid: name };
}

/** Everything that an archive holds, without the instants of tries. */
async function contentOf(db: Database): Promise<unknown> {
  const isGone = <Row extends { gone_ms: number | null }>(row: Row) => ({ ...row, gone_ms: row.gone_ms !== null });
  const runs = await db.selectFrom("runs").selectAll().orderBy("uid").execute();
  const sessions = await db.selectFrom("sessions").selectAll().orderBy("uid").execute();
  const pullRequests = await db.selectFrom("pull_requests").selectAll().orderBy("uid").execute();
  const sums = await db.selectFrom("session_sums").selectAll().where("sessions", "<>", 0).execute();
  const ofPullRequests = db.selectFrom("pull_request_sums").selectAll().where("pull_requests", "<>", 0);
  return {
    runs: runs.map(isGone),
    sessions: sessions.map(isGone),
    pullRequests: pullRequests.map(isGone),
    sizes: await db.selectFrom("sizes").selectAll().orderBy("namespace").execute(),
    sums: [...sums, ...(await ofPullRequests.execute())].map((row) => JSON.stringify(row)).sort(),
  };
}

/** What the writer must do when any one of its writes fails; `open` gives an empty archive of an engine. */
export function itOutlivesFailures(engine: "embedded" | "PostgreSQL", open: () => Promise<Database>): void {
  const faults: readonly Fault[] = engine === "PostgreSQL" ? ["refused", "cut"] : ["refused"];
  const writesHere = writes.filter(([, , only]) => only === undefined || only === engine).map(([name]) => name);
  /** What an archive holds to which nothing happened, and by which statements. */
  let content: unknown;
  let statements: readonly string[];
  let db: Database;

  async function history(): Promise<History> {
    db = await open();
    const made = new History(db);
    await made.seed();
    return made;
  }

  beforeAll(async () => {
    const untroubled = await history();
    untroubled.failWhere(() => undefined);
    await untroubled.happen();
    ({ statements } = untroubled);
    content = await contentOf(db);
    await db.destroy();
  });

  async function expectAllOnce(fault: (statement: string, index: number) => Fault | undefined): Promise<void> {
    const troubled = await history();
    troubled.failWhere((...of) => (troubled.failures === 0 ? fault(...of) : undefined));
    await troubled.happen();
    expect(troubled.failures).toBe(1);
    expect(await contentOf(db)).toEqual(content);
    await db.destroy();
  }

  it("in each write, of which this test knows all", () => {
    expect(content).toMatchObject({
      runs: [
        { uid: "a", state: "completed", gone_ms: false },
        { uid: "lost", gone_ms: true },
        { uid: "next-month", gone_ms: false },
      ],
      sessions: [
        { uid: "lost", gone_ms: true },
        { uid: "s", outcome: "completed", gone_ms: false },
        { uid: "t", gone_ms: false },
      ],
      pullRequests: [
        { uid: "lost", gone_ms: true },
        { uid: "pr", source: "person", state: "merged", gone_ms: false },
      ],
    });
    const others = /^\s*(select|with (?!changed)|create table if not exists "kysely_|insert into "kysely_)/i;
    const written = statements.filter((statement) => !others.test(statement));
    expect(written.filter((statement) => nameOf(statement) === undefined)).toEqual([]);
    expect(new Set(written.map(nameOf))).toEqual(new Set(writesHere));
  });

  it.each(writesHere.flatMap((name) => faults.map((fault) => [name, fault] as const)))(
    "once, of %s, which is %s",
    (name, fault) => expectAllOnce((statement) => (nameOf(statement) === name ? fault : undefined)),
  );

  // A server takes minutes for as many.
  if (engine === "embedded") {
    it("once, whichever statement it is", async () => {
      for (const failing of statements.keys()) {
        await expectAllOnce((_, index) => (index === failing ? "refused" : undefined));
      }
    });
  }

  it.each(writesHere)("for as long as it lasts, of %s", async (name) => {
    const troubled = await history();
    let isFailing = true;
    troubled.failWhere((statement) => (isFailing && nameOf(statement) === name ? "refused" : undefined));
    await troubled.begin();
    await troubled.goOn();
    expect(troubled.failures).toBeGreaterThan(expiries.includes(name) ? 0 : 2);
    expect(await troubled.isAllMarked()).toBe(expiries.includes(name));
    isFailing = false;
    await troubled.later();
    expect(await troubled.isAllMarked()).toBe(true);
    // What was seen to be gone meanwhile is deleted at the next time for it.
    await troubled.later(dayMs);
    await troubled.end();
    expect(await contentOf(db)).toEqual(content);
    await db.destroy();
  });

  it("once, whichever statement of a migration it is", async () => {
    const first = { getMigrations: () => Promise.resolve({ "0001": migrations["0001"]! }) };
    const clock = new FakeClock();
    const migrated = async (failing: number) => {
      db = await open();
      await new Migrator({ db, provider: first }).migrateToLatest();
      await db.insertInto("runs").values(firstRunRow("r")).execute();
      await db.insertInto("sessions").values(aSessionRow("s")).execute();
      const archive = new FaultyArchive(db);
      const asked: string[] = [];
      archive.fault = (statement) => (asked.push(statement) - 1 === failing ? "refused" : undefined);
      const store = new ArchiveStore(archive.database, clock);
      if (failing >= 0) await expect(store.begin()).rejects.toThrow("a test lets this fail");
      await store.begin();
      const had = await contentOf(db);
      await db.destroy();
      return { had, asked };
    };
    const { had, asked } = await migrated(-1);
    for (const [failing, statement] of asked.entries()) {
      expect([statement, (await migrated(failing)).had]).toEqual([statement, had]);
    }
  }, 300_000);
}
