import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { sql } from "kysely";

import { progressOnStderr } from "../../hack/lib/progress.ts";
import type { ArchiveConfig } from "../../src/gateway/archive/archive-config.ts";
import { ArchiveStore } from "../../src/gateway/archive/archive-store.ts";
import { type Database, openArchive } from "../../src/gateway/archive/open-archive.ts";
import { isPostgresql } from "../../src/gateway/archive/schema/engine.ts";
import { ensureMonths } from "../../src/gateway/archive/schema/months.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { startPostgresqlServer } from "../../test/support/postgresql-server.ts";
import { describeMachine, loadNow } from "../machine.ts";
import { parseOptions } from "./options.ts";
import { percentile } from "../statistics.ts";
import { baselinesOf, queriesOf, type Query } from "./queries.ts";
import { madeAt } from "./rows.ts";

// npm run bench:archive -- [--output json] [--runs N] [--engine embedded|postgresql]
const { runs, engines, json } = parseOptions(process.argv.slice(2));
const progress = progressOnStderr("bench");
const rounds = 100;
/** Of each kind in one transaction: SQLite takes 32,766 values. */
const rowsAtOnce = 1_000;

const folder = await mkdtemp(join(tmpdir(), "runwright-bench-archive-"));
const close: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
try {
  const machine = await describeMachine();
  const before = loadNow();
  const measured: Record<string, unknown> = {};
  for (const engine of engines) measured[engine] = await measure(await configOf(engine));
  const document = { machine, load: { before, after: loadNow() }, runs, sessions: runs, days: 90, rounds, ...measured };
  process.stdout.write(`${JSON.stringify(document, undefined, json ? undefined : 2)}\n`);
} finally {
  for (const end of close.reverse()) await end();
}

async function configOf(engine: (typeof engines)[number]): Promise<ArchiveConfig> {
  if (engine === "embedded") return { mode: "embedded", file: join(folder, "archive.db") };
  const server = await startPostgresqlServer();
  close.push(() => server.close());
  return server.newDatabase();
}

async function measure(config: ArchiveConfig): Promise<object> {
  const db = await openArchive(config, console);
  if (!db) throw new Error("there is no archive");
  const store = new ArchiveStore(db, systemClock);
  await store.begin();
  const nowMs = Date.now();
  const filled = await fill(db, store, nowMs);
  const term = await store.begin();
  if (config.mode === "postgresql") await sql`VACUUM ANALYZE`.execute(db);
  const queries = await timeAll(queriesOf(db, runs, nowMs), nowMs, rounds);
  const baselines = await timeAll(baselinesOf(db), nowMs, 5);
  const life = await liveThrough(store, term);
  const sizeMiB = await sizeOf(db, config);
  await db.destroy();
  return { ...filled, sizeMiB, queries, baselines, at100RunsASecond: life };
}

/** Stores all Runs with their sessions, and has them summed up as after a migration. */
async function fill(db: Database, store: ArchiveStore, nowMs: number): Promise<object> {
  for (let done = 0; done < runs; done += rowsAtOnce) {
    const made = Array.from({ length: Math.min(rowsAtOnce, runs - done) }, (_, at) => madeAt(done + at, runs, nowMs));
    const [ofRuns, ofSessions] = [made.map(({ run }) => run), made.map(({ session }) => session)];
    const pullRequests = made.flatMap(({ pullRequest }) => pullRequest ?? []);
    await db.transaction().execute(async (transaction) => {
      if (isPostgresql(db)) {
        await ensureMonths(transaction, "runs", ofRuns);
        await ensureMonths(transaction, "sessions", ofSessions);
        await ensureMonths(transaction, "pull_requests", pullRequests);
      }
      await transaction.insertInto("runs").values(ofRuns).execute();
      await transaction.insertInto("sessions").values(ofSessions).execute();
      await transaction.insertInto("pull_requests").values(pullRequests).execute();
    });
    if (done % 50_000 === 0) progress(`${done} Runs are stored`);
  }
  await db.deleteFrom("session_sums").execute();
  await db.deleteFrom("pull_request_sums").execute();
  const beganMs = performance.now();
  await store.begin();
  return { secondsToSumUpAll: Math.round((performance.now() - beganMs) / 1_000) };
}

/** Milliseconds of each, and those of this process's CPU: all of the embedded archive's work, of PostgreSQL's the driver's. */
async function timeAll(queries: Record<string, Query>, nowMs: number, times: number): Promise<object> {
  const measured: [string, object][] = [];
  for (const [name, query] of Object.entries(queries)) {
    const took: number[] = [];
    const cpu: number[] = [];
    for (let round = 0; round < times; round += 1) {
      const [beganMs, before] = [performance.now(), process.cpuUsage()];
      await query({ nowMs: nowMs - round * 61_000 });
      took.push(performance.now() - beganMs);
      const { user, system } = process.cpuUsage(before);
      cpu.push((user + system) / 1_000);
    }
    const { ms } = percentiles("ms", took) as { ms: { p99: number } };
    progress(`${name}: p99 ${ms.p99} ms`);
    measured.push([name, { ...ms, ...percentiles("cpu", cpu) }]);
  }
  return Object.fromEntries(measured);
}

/** Half a minute of 100 Runs a second: each is written when it is made, starts and ends, and its session as often. */
async function liveThrough(store: ArchiveStore, term: number): Promise<object> {
  const seconds: number[] = [];
  const lifeSeconds = 3;
  for (let second = 0; second < 30; second += 1) {
    const rows = Array.from({ length: lifeSeconds }, (_, age) =>
      Array.from({ length: 100 }, (_unused, at) => {
        const { run, session } = madeAt(10_000_000 + (second - age) * 100 + at, 10_000_000, Date.now());
        const isEnded = age === lifeSeconds - 1;
        const started = { state: "running", ended_ms: null, gone_ms: null };
        const active = { state: "active", outcome: null, idle_ms: null, gone_ms: null };
        return { run: isEnded ? run : { ...run, ...started }, session: isEnded ? session : { ...session, ...active } };
      }),
    ).flat();
    const beganMs = performance.now();
    await store.write(term, { runs: rows.map(({ run }) => run), sessions: rows.map(({ session }) => session) });
    seconds.push(performance.now() - beganMs);
  }
  return { rowsEachSecond: lifeSeconds * 200, ...percentiles("busyMsEachSecond", seconds) };
}

async function sizeOf(db: Database, config: ArchiveConfig): Promise<number> {
  if (config.mode === "embedded") return Math.round((await stat(config.file)).size / 2 ** 20);
  const { rows } = await sql<{ size: number }>`SELECT pg_database_size(current_database()) AS size`.execute(db);
  return Math.round((rows[0]?.size ?? 0) / 2 ** 20);
}

function percentiles(name: string, values: readonly number[]): Record<string, object> {
  const at = (share: number): number => Number(percentile(values, share).toFixed(1));
  return { [name]: { p50: at(0.5), p99: at(0.99), max: at(1) } };
}
