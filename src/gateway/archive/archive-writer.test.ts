import { afterEach, beforeEach, expect, it } from "vitest";
import { archiveInMemory } from "../../../test/support/archive-in-memory.ts";
import { ArchivedCollections } from "../../../test/support/archive-writer-world.ts";
import { aPrompt, aRun, aSession, aVerdict } from "../../../test/support/builders.ts";
import type { Run } from "../../api/v1alpha1/index.ts";
import { isStored } from "../../domain/archive/stored-mark.ts";
import { KubeError } from "../../kube/errors.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { ArchiveStore, TermOverError } from "./archive-store.ts";
import type { ArchiveWriter } from "./archive-writer.ts";
import type { Database } from "./open-archive.ts";
import type { ArchiveBounds } from "./trim/archive-bounds.ts";
import type { Trimmed } from "./trim/trim-archive.ts";

/** An archive that a test takes away. */
class FlakyStore extends ArchiveStore {
  isAway = false;
  /** Each write is carried out, and its answer lost. */
  isMute = false;
  /** Names of rows that the database refuses. */
  readonly refused = new Set<string>();
  tries = 0;

  override async write(...args: Parameters<ArchiveStore["write"]>): Promise<void> {
    this.tries += 1;
    if (this.isAway) throw new Error("connect ECONNREFUSED");
    const [, { runs, sessions }] = args;
    if ([...runs, ...sessions].some(({ name }) => this.refused.has(name))) {
      throw Object.assign(new Error("invalid byte sequence"), { code: "22021" });
    }
    await super.write(...args);
    if (this.isMute) throw new Error("Connection terminated unexpectedly");
  }
}

class World {
  readonly #cluster = new ArchivedCollections();
  readonly runs = this.#cluster.runs;
  readonly sessions = this.#cluster.sessions;
  readonly prompts = this.#cluster.prompts;
  readonly clock = new FakeClock();
  readonly db: Database = archiveInMemory();
  readonly store = new FlakyStore(this.db, this.clock);
  bounds: ArchiveBounds = { namespace: Infinity, total: Infinity };
  readonly trimmed: Trimmed[] = [];
  /** Tables of the rows that were set aside. */
  readonly setAside: string[] = [];
  readonly #writers: { stop: AbortController; ended: Promise<unknown> }[] = [];

  /** A replica that leads. */
  lead(store: ArchiveStore = this.store): {
    writer: ArchiveWriter;
    ended: Promise<unknown>;
    stop: () => Promise<void>;
  } {
    const writer = this.#cluster.writer(store, this.clock, {
      refused: (table) => this.setAside.push(table),
      bounds: () => Promise.resolve(this.bounds),
      trimmed: (of) => this.trimmed.push(of),
    });
    const stop = new AbortController();
    const ended = writer.run(stop.signal).then(
      () => undefined,
      (error: unknown) => error,
    );
    this.#writers.push({ stop, ended });
    return {
      writer,
      ended,
      stop: async () => {
        stop.abort();
        await ended;
      },
    };
  }

  async close(): Promise<void> {
    for (const { stop } of this.#writers) stop.abort();
    await Promise.all(this.#writers.map(({ ended }) => ended));
    await this.db.destroy();
  }

  /** Lets seconds pass. */
  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      for (let turn = 0; turn < 30; turn += 1) await new Promise(setImmediate);
      this.clock.advance(1_000);
    }
    for (let turn = 0; turn < 30; turn += 1) await new Promise(setImmediate);
  }

  async names(): Promise<string[]> {
    return (await this.db.selectFrom("runs").select("name").orderBy("name").execute()).map(({ name }) => name);
  }
}

let world: World;
beforeEach(() => void (world = new World()));
afterEach(() => world.close());

const run = (name: string, status: Run["status"] = {}): Run =>
  aRun({ metadata: { name, namespace: "team", creationTimestamp: "2026-05-04T10:00:00Z" }, status });
const completed = (): Run["status"] => ({ conditions: [aVerdict(true, "Completed", world.clock.now())] });

it("stores what there is and what changes, and then marks it as stored", async () => {
  const before = world.runs.put(run("a"));
  const { writer } = world.lead();
  expect(writer.mark).toBeUndefined();
  await world.pass(2);
  expect(isStored(writer.mark, "runs", before)).toBe(true);
  const after = world.runs.put(run("a", completed()));
  expect(isStored(writer.mark, "runs", after)).toBe(false);
  await world.pass(2);
  expect(isStored(writer.mark, "runs", after)).toBe(true);
  const rows = await world.db.selectFrom("runs").select(["name", "state", "gone_ms"]).execute();
  expect(rows).toEqual([{ name: "a", state: "completed", gone_ms: null }]);
});

it("sets a row aside that the database refuses, and stores and marks all others", async () => {
  const names = Array.from({ length: 9 }, (_, at) => `r${at}`);
  for (const name of names) world.runs.put(run(name));
  world.sessions.put(aSession({ metadata: { name: "s1", namespace: "team" } }));
  world.sessions.put(aSession({ metadata: { name: "s2", namespace: "team" } }));
  for (const name of ["r3", "r8", "s2"]) world.store.refused.add(name);
  const { writer } = world.lead();
  await world.pass(2);
  const kept = await world.db.selectFrom("sessions").select("name").execute();
  expect([await world.names(), kept]).toEqual([
    names.filter((name) => !world.store.refused.has(name)),
    [{ name: "s1" }],
  ]);
  expect(world.setAside.sort()).toEqual(["runs", "runs", "sessions"]);
  const after = world.runs.put(run("r9"));
  await world.pass(2);
  expect(isStored(writer.mark, "runs", after)).toBe(true);
});

it("keeps the row of what is deleted, with when it was seen", async () => {
  world.runs.put(run("a"));
  world.lead();
  await world.pass(2);
  world.runs.remove({ namespace: "team", name: "a" });
  const seenMs = world.clock.now().getTime();
  await world.pass(2);
  expect(await world.db.selectFrom("runs").select("gone_ms").execute()).toEqual([{ gone_ms: seenMs }]);
});

it("notes what was deleted, and never what is there, while no replica led", async () => {
  world.runs.put(run("a"));
  world.runs.put(run("b"));
  await world.lead().stop();
  const first = world.lead();
  await world.pass(2);
  await first.stop();
  world.runs.remove({ namespace: "team", name: "a" });
  world.lead();
  await world.pass(2);
  const rows = await world.db.selectFrom("runs").select(["name", "gone_ms"]).orderBy("name").execute();
  expect(rows).toEqual([
    { name: "a", gone_ms: expect.any(Number) as number },
    { name: "b", gone_ms: null },
  ]);
});

it("tells a session's outcome by its prompts, also when both are gone before they are stored", async () => {
  const session = aSession({ metadata: { name: "s", namespace: "team" } });
  const prompt = aPrompt({ metadata: { name: "s-1", namespace: "team" }, spec: { sessionRef: { name: "s" } } });
  world.sessions.put(session);
  world.prompts.put(prompt);
  world.lead();
  await world.pass(2);
  world.store.isAway = true;
  world.prompts.put({ ...prompt, status: { conditions: [aVerdict(true, "Completed", world.clock.now())] } });
  await world.pass(2);
  world.sessions.remove({ namespace: "team", name: "s" });
  world.prompts.remove({ namespace: "team", name: "s-1" });
  await world.pass(2);
  world.store.isAway = false;
  await world.pass(40);
  const rows = await world.db.selectFrom("sessions").select(["outcome", "gone_ms"]).execute();
  expect(rows).toEqual([{ outcome: "completed", gone_ms: expect.any(Number) as number }]);
});

it("loses and doubles nothing while the archive is away for 10 minutes, and marks nothing meanwhile", async () => {
  const { writer } = world.lead();
  await world.pass(2);
  const { mark } = writer;
  world.store.isAway = true;
  const wanted = Array.from({ length: 1_201 }, (_, at) => `r${String(at).padStart(4, "0")}`);
  for (const name of wanted) world.runs.put(run(name));
  await world.pass(600);
  expect(writer.mark).toEqual(mark);
  expect(writer.behindMs).toBeGreaterThan(599_000);
  // It does not hammer the archive: at most one try in 15 s in the end.
  expect(world.store.tries).toBeLessThan(60);
  const last = world.runs.put(run("r0000", completed()));
  world.store.isAway = false;
  await world.pass(40);
  expect(await world.names()).toEqual(wanted);
  expect(isStored(writer.mark, "runs", last)).toBe(true);
  expect(writer.behindMs).toBeLessThan(2_000);
});

it("has every row of 10,000 Runs that are pruned as soon as they may be, after an outage", async () => {
  const { writer } = world.lead();
  await world.pass(2);
  world.store.isAway = true;
  const names = Array.from({ length: 10_000 }, (_, at) => `r${at}`);
  const stored = new Map(names.map((name) => [name, world.runs.put(run(name, completed()))]));
  /** As the controller does it: what the mark covers, and nothing else. */
  const prune = (): void => {
    for (const [name, object] of stored) {
      if (!isStored(writer.mark, "runs", object)) continue;
      world.runs.remove({ namespace: "team", name });
      stored.delete(name);
    }
  };
  for (let minute = 0; minute < 10; minute += 1) {
    await world.pass(60);
    prune();
  }
  expect(stored.size).toBe(names.length);
  world.store.isAway = false;
  for (let second = 0; second < 90 && stored.size > 0; second += 1) {
    await world.pass(1);
    prune();
  }
  await world.pass(2);
  expect(stored.size).toBe(0);
  const rows = await world.db.selectFrom("runs").select(["name", "state", "gone_ms"]).execute();
  expect(new Set(rows.map(({ name }) => name))).toEqual(new Set(names));
  expect(rows).toHaveLength(names.length);
  expect(rows.filter(({ state, gone_ms }) => state !== "completed" || gone_ms === null)).toEqual([]);
});

it("stores once what it was not told of", async () => {
  world.store.isMute = true;
  world.runs.put(run("a"));
  const { writer } = world.lead();
  await world.pass(10);
  expect(writer.mark).toBeUndefined();
  world.store.isMute = false;
  await world.pass(40);
  expect(await world.names()).toEqual(["a"]);
  expect(writer.mark).toBeDefined();
});

it("ends when another replica has begun, and that one stores what it held", async () => {
  const first = world.lead();
  await world.pass(2);
  const second = world.lead(new ArchiveStore(world.db, world.clock));
  await world.pass(2);
  world.runs.put(run("a"));
  await world.pass(3);
  expect(await first.ended).toBeInstanceOf(TermOverError);
  expect(first.writer.mark).toBeUndefined();
  expect(second.writer.mark).toBeDefined();
  expect(await world.names()).toEqual(["a"]);
});

it("marks less when the API server was set back, and stores what comes again", async () => {
  for (const name of ["a", "b", "c"]) world.runs.put(run(name));
  const { writer } = world.lead();
  await world.pass(2);
  const before = Number(writer.mark?.runs);
  world.runs.setBack(50);
  world.runs.endWatches(new KubeError({ message: "too old", status: 410, reason: "Expired", delivery: "received" }));
  await world.pass(5);
  expect(Number(writer.mark?.runs)).toBeLessThan(before);
  const again = world.runs.put(run("a", completed()));
  expect(isStored(writer.mark, "runs", again)).toBe(false);
  await world.pass(2);
  expect(isStored(writer.mark, "runs", again)).toBe(true);
  const rows = await world.db.selectFrom("runs").select("state").where("name", "=", "a").execute();
  expect(rows).toEqual([{ state: "completed" }]);
});

it.each([
  [89, 1],
  [91, 0],
])("has %i days after its creation %i rows of a Run that is gone", async (days, want) => {
  world.runs.put({
    ...run("a"),
    metadata: { ...run("a").metadata, creationTimestamp: world.clock.now().toISOString() },
  });
  world.lead();
  await world.pass(2);
  world.runs.remove({ namespace: "team", name: "a" });
  await world.pass(2);
  world.clock.setForward((days - 1) * 86_400_000);
  world.clock.advance(86_400_000);
  await world.pass(3);
  expect(await world.names()).toHaveLength(want);
});

it("deletes the oldest rows above a budget, counts them, and looks again after 10 minutes", async () => {
  for (const name of ["a", "b", "c"]) world.runs.put(run(name));
  const { writer } = world.lead();
  await world.pass(2);
  const whole = (await world.store.sizes()).get("team") ?? 0;
  expect(writer.size).toEqual({ bytes: whole, bound: Infinity });
  for (const name of ["a", "b"]) world.runs.remove({ namespace: "team", name });
  world.bounds = { namespace: whole - 1, total: 10 * whole };
  await world.pass(590);
  expect(await world.names()).toHaveLength(3);
  await world.pass(20);
  expect(await world.names()).toHaveLength(2);
  expect(world.trimmed).toEqual([{ namespace: "team", budget: "namespace", rows: 1 }]);
  expect(writer.size).toEqual({ bytes: (await world.store.sizes()).get("team"), bound: 10 * whole });
});

it("goes on storing when the budgets cannot be kept, and tries again", async () => {
  world.runs.put(run("a"));
  const trim = world.store.trim.bind(world.store);
  world.store.trim = () => Promise.reject(new Error("lock timeout"));
  world.bounds = { namespace: 0, total: Infinity };
  const { writer } = world.lead();
  await world.pass(2);
  const second = world.runs.put(run("b"));
  world.runs.remove({ namespace: "team", name: "a" });
  await world.pass(2);
  expect(isStored(writer.mark, "runs", second)).toBe(true);
  world.store.trim = trim;
  await world.pass(600);
  expect(await world.names()).toEqual(["b"]);
});
