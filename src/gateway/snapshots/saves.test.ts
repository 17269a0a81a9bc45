import { Duplex, Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { aSession } from "../../../test/support/builders.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { stillMs } from "../../lib/unless-still.ts";
import { markWhole } from "../../lib/whole-stream.ts";
import { systemRandom as random } from "../../lib/random.ts";
import { createLogger } from "../../telemetry/logger.ts";
import { FakeStore } from "../events/fake-store.ts";
import type { BlobBudgets } from "../blobs/blob-budgets.ts";
import { BlobUsage } from "../blobs/blob-usage.ts";
import { Archives } from "./archives.ts";
import { mostAtOnce, Saves } from "./saves.ts";

type Deps = ConstructorParameters<typeof Saves>[0];

const logger = createLogger({ process: "gateway", level: "fatal" });
const archivesIn = (blobs: FakeStore, budgets: BlobBudgets = {}): Archives =>
  new Archives({ blobs, usage: new BlobUsage({ blobs, budgets }), random, logger });

const time = "2026-05-04T10:15:00.000Z";

/** Any session is to be saved, `s1/other` being of namespace `other`, and its runtime sends three bytes. */
function savesWith(own: Pick<Deps, "clock" | "leases" | "archives"> & Partial<Deps>, volume: object = {}): Saves {
  const sandbox = { attempt: 2, podName: "p", podUID: "p", createTime: "", snapshotTime: time, ...volume };
  return new Saves({
    logger,
    streams: { open: () => Promise.resolve(Duplex.from(markWhole(Readable.from([Buffer.from("abc")])))) },
    owner: (uid) => aSession({ metadata: { namespace: uid.split("/")[1] ?? "demo", uid }, status: { sandbox } }),
    runtime: () => ({}) as never,
    waits: () => undefined,
    ...own,
  });
}

it("notes where the session is before it stores its workspace", async () => {
  const store = new FakeStore();
  const { promise: noted, resolve: markSnapshot } = Promise.withResolvers<unknown>();
  const leases = { open: () => Promise.resolve({ markSnapshot }) } as never;
  savesWith({
    clock: new FakeClock(),
    leases,
    archives: archivesIn(store),
  }).ownerChanged("s1");
  const { archive } = (await noted) as { archive: string };
  const digest = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  expect(await noted).toEqual({ try: 1, bytes: 3, archive, digest });
  expect(store.puts).toEqual(["s1/namespace/demo", `s1/snapshots/2/${archive}/workspace.tar.zst`]);
});

it.each([
  { name: "saves a workspace on the node's disk", volume: {}, asked: ["s1"] },
  { name: "leaves one on a volume to the controller", volume: { volumeSnapshotClassName: "fast" }, asked: [] },
])("$name", ({ volume, asked }) => {
  const opened: string[] = [];
  const open = ({ sessionUid }: { sessionUid: string }): Promise<never> => {
    opened.push(sessionUid);
    return new Promise<never>(() => undefined);
  };
  savesWith({ clock: new FakeClock(), leases: { open }, archives: {} as never }, volume).ownerChanged("s1");
  expect(opened).toEqual(asked);
});

it.each([
  { name: "the class's limit", budgets: {}, limit: 2, problem: /workspaceSizeLimit allows: delete files/ },
  { name: "the session's budget", budgets: { session: 2 }, limit: 3, problem: /gateway\.blobStore\.budgets\.session/ },
])("notes for good that an archive is beyond $name, and what to do", async ({ budgets, limit, problem }) => {
  const { promise: noted, resolve: markSnapshot } = Promise.withResolvers<unknown>();
  const leases = { open: () => Promise.resolve({ markSnapshot }) } as never;
  const archives = archivesIn(new FakeStore(), budgets);
  savesWith({ clock: new FakeClock(), leases, archives }, { workspaceLimitBytes: limit }).ownerChanged("s1");
  expect(await noted).toEqual({ try: 1, problem: expect.stringMatching(problem) as unknown });
});

/** A namespace may have as many places as are free. */
const share = mostAtOnce / 2;

/** So many sessions of a namespace that are to be saved at once, each of whose saves goes on until it is ended. */
async function saveAll(sessions: number): Promise<{
  clock: FakeClock;
  begun: string[];
  saves: Saves;
  end: (how: Error | "well") => void;
  waited: readonly number[];
}> {
  const clock = new FakeClock();
  const begun: string[] = [];
  const going: PromiseWithResolvers<never>[] = [];
  const open = ({ sessionUid }: { sessionUid: string }): Promise<never> => {
    begun.push(sessionUid);
    const lease = Promise.withResolvers<never>();
    going.push(lease);
    return lease.promise;
  };
  const waited: number[] = [];
  const waits = (): void => void waited.push(begun.length);
  const saves = savesWith({ clock, leases: { open }, archives: {} as never, waits });
  for (let index = 1; index <= sessions; index += 1) saves.ownerChanged(`s${index}`);
  await setImmediate();
  const end = (how: Error | "well"): void => {
    const lease = going.shift();
    if (how === "well") lease?.resolve({ snapshot: { bytes: 3 } } as never);
    else lease?.reject(how);
  };
  return { clock, begun, saves, end, waited };
}

it.each([
  { sessions: share - 1, want: share - 1 },
  { sessions: share, want: share },
  { sessions: share + 1, want: share },
])("of $sessions sessions of a namespace it saves $want at once, and counts each that waits once", async (of) => {
  const { clock, begun, waited } = await saveAll(of.sessions);
  clock.advance(60_000);
  expect([begun.length, waited.length]).toEqual([of.want, of.sessions - of.want]);
});

it.each([
  { how: "well" as const, name: "is done" },
  { how: new Error("broke off"), name: "failed" },
])("begins with the next one when one $name", async ({ how }) => {
  const { clock, begun, end } = await saveAll(share + 1);
  end(how);
  await setImmediate();
  clock.advance(1_000);
  expect(begun.slice(share)).toEqual([`s${share + 1}`]);
});

it("begins at once with saves of another namespace, however many of the first one wait", async () => {
  const { begun, saves } = await saveAll(100);
  saves.ownerChanged("quiet/other");
  await setImmediate();
  expect(begun.slice(share)).toEqual(["quiet/other"]);
});

it("gives a runtime up that sends nothing for 60 s, and asks it again", async () => {
  const clock = new FakeClock();
  const opened: Duplex[] = [];
  const open = (): Promise<Duplex> => {
    opened.push(new Duplex({ read: () => undefined, write: () => undefined }));
    return Promise.resolve(opened.at(-1)!);
  };
  const leases = { open: () => Promise.resolve({ markSnapshot: () => Promise.resolve() }) } as never;
  const archives = archivesIn(new FakeStore());
  savesWith({ clock, leases, archives, streams: { open } }).ownerChanged("s1");
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
  };
  await turns();
  clock.advance(stillMs - 1);
  expect(opened.map(({ destroyed }) => destroyed)).toEqual([false]);
  clock.advance(1);
  await turns();
  clock.advance(5_000);
  await turns();
  expect(opened.map(({ destroyed }) => destroyed)).toEqual([true, false]);
});

/** Session `s1`, whose status the test changes, and the notes on its Lease. */
function changing(streams: () => Promise<Duplex>, archives: Deps["archives"] = archivesIn(new FakeStore())) {
  const clock = new FakeClock();
  const notes: { try?: number; problem?: string; goesOn?: true; bytes?: number }[] = [];
  const sandbox = { attempt: 2, podName: "p", podUID: "p", createTime: "" };
  const session = aSession({ metadata: { namespace: "demo", uid: "s1" }, status: { sandbox } });
  const lease = {
    get snapshot() {
      return notes.at(-1);
    },
    markSnapshot: (note: object) => Promise.resolve(void notes.push(note)),
  };
  const saves = savesWith({
    clock,
    leases: { open: () => Promise.resolve(lease as never) },
    archives,
    streams: { open: streams },
    owner: () => session,
  });
  const want = async (snapshotTry?: number): Promise<void> => {
    const saving = snapshotTry === undefined ? {} : { snapshotTime: time, snapshotTry };
    session.status = { sandbox: { ...sandbox, ...saving } };
    saves.ownerChanged("s1");
    await turns();
  };
  return { clock, notes, want };
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
};

const aStill = (): Duplex => new Duplex({ read: () => undefined, write: () => undefined });

it("breaks an upload off that is not wanted any more, notes nothing of it, and saves anew at the next try", async () => {
  const still = aStill();
  const streams = [still, Duplex.from(markWhole(Readable.from([Buffer.from("abc")])))];
  const { clock, notes, want } = changing(() => Promise.resolve(streams.shift()!));
  await want(1);
  expect(still.destroyed).toBe(false);
  await want(undefined);
  expect([still.destroyed, notes]).toEqual([true, []]);
  await want(2);
  clock.advance(5_000);
  await turns();
  expect(notes).toMatchObject([{ try: 2, bytes: 3, archive: expect.any(String) as string }]);
});

it("does not ask the runtime for what is not wanted any more by the time that older archives are gone", async () => {
  const gone = Promise.withResolvers<undefined>();
  const archives = archivesIn(new FakeStore());
  let asked = 0;
  const { notes, want } = changing(
    () => {
      asked += 1;
      return Promise.resolve(aStill());
    },
    { store: (...given) => archives.store(...given), forgetOlder: () => gone.promise },
  );
  await want(1);
  await want(undefined);
  gone.resolve(undefined);
  await turns();
  expect([asked, notes]).toEqual([0, []]);
});

it("goes on after a problem, and notes each cause once", async () => {
  const broken = (): Duplex => Duplex.from(Readable.from([Buffer.from("abc")]));
  const { clock, notes, want } = changing(() => Promise.resolve(broken()));
  await want(1);
  for (let again = 0; again < 3; again += 1) {
    clock.advance(5_000);
    await turns();
  }
  const problem = "the sandbox broke off before it had sent all";
  expect(notes).toEqual([{ try: 1, problem, goesOn: true }]);
});

it.each([
  { noted: { bytes: 3 }, snapshotTry: 1, opened: 0 },
  { noted: { bytes: 3 }, snapshotTry: 2, opened: 1 },
  { noted: { try: 2, problem: "too large" }, snapshotTry: 2, opened: 0 },
  { noted: { try: 2, problem: "away", goesOn: true as const }, snapshotTry: 2, opened: 1 },
])("at try $snapshotTry with $noted on the Lease opens $opened streams", async ({ noted, snapshotTry, opened }) => {
  let count = 0;
  const { notes, want } = changing(() => {
    count += 1;
    return Promise.resolve(aStill());
  });
  notes.push(noted);
  await want(snapshotTry);
  expect(count).toBe(opened);
});

it("gives a runtime up that sends a byte a minute, says so, and asks it again", async () => {
  const opened: Duplex[] = [];
  const { clock, notes, want } = changing(() => {
    opened.push(aStill());
    return Promise.resolve(opened.at(-1)!);
  });
  await want(1);
  for (let minute = 0; minute < 10; minute += 1) {
    clock.advance(stillMs - 1);
    opened[0]?.push("x");
    await turns();
  }
  expect([opened.map(({ destroyed }) => destroyed), notes]).toEqual([[false], []]);
  clock.advance(stillMs - 1);
  opened[0]?.push("x");
  await turns();
  const problem = expect.stringContaining("less than 16 KiB a second") as string;
  expect(notes).toEqual([{ try: 1, problem, goesOn: true }]);
  clock.advance(5_000);
  await turns();
  expect(opened.map(({ destroyed }) => destroyed)).toEqual([true, false]);
});
