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
import { Archives } from "./archives.ts";
import { mostAtOnce, Saves } from "./saves.ts";

type Deps = ConstructorParameters<typeof Saves>[0];

const logger = createLogger({ process: "gateway", level: "fatal" });

const time = "2026-05-04T10:15:00.000Z";

/** Any session is to be saved, and its runtime sends three bytes. */
function savesWith(own: Pick<Deps, "clock" | "leases" | "archives"> & Partial<Deps>, volume: object = {}): Saves {
  const sandbox = { attempt: 2, podName: "p", podUID: "p", createTime: "", snapshotTime: time, ...volume };
  return new Saves({
    logger,
    streams: { open: () => Promise.resolve(Duplex.from(markWhole(Readable.from([Buffer.from("abc")])))) },
    owner: (uid) => aSession({ metadata: { namespace: "demo", uid }, status: { sandbox } }),
    runtime: () => ({}) as never,
    ...own,
  });
}

it("notes where the session is before it stores its workspace", async () => {
  const store = new FakeStore();
  const { promise: noted, resolve: markSnapshot } = Promise.withResolvers<unknown>();
  const leases = { open: () => Promise.resolve({ hasSnapshot: false, markSnapshot }) } as never;
  savesWith({
    clock: new FakeClock(),
    leases,
    archives: new Archives({ blobs: store, random, logger }),
  }).ownerChanged("s1");
  const { archive } = (await noted) as { archive: string };
  expect(await noted).toEqual({ bytes: 3, archive });
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

/** So many sessions that are to be saved at once, each of whose saves goes on until it is ended. */
async function saveAll(
  sessions: number,
): Promise<{ clock: FakeClock; begun: string[]; end: (how: Error | "well") => void }> {
  const clock = new FakeClock();
  const begun: string[] = [];
  const going: PromiseWithResolvers<never>[] = [];
  const open = ({ sessionUid }: { sessionUid: string }): Promise<never> => {
    begun.push(sessionUid);
    const lease = Promise.withResolvers<never>();
    going.push(lease);
    return lease.promise;
  };
  const saves = savesWith({ clock, leases: { open }, archives: {} as never });
  for (let index = 1; index <= sessions; index += 1) saves.ownerChanged(`s${index}`);
  await setImmediate();
  const end = (how: Error | "well"): void => {
    const lease = going.shift();
    if (how === "well") lease?.resolve({ hasSnapshot: true } as never);
    else lease?.reject(how);
  };
  return { clock, begun, end };
}

it.each([
  { sessions: mostAtOnce - 1, want: mostAtOnce - 1 },
  { sessions: mostAtOnce, want: mostAtOnce },
  { sessions: mostAtOnce + 1, want: mostAtOnce },
])("of $sessions sessions it saves $want at once", async ({ sessions, want }) => {
  const { clock, begun } = await saveAll(sessions);
  clock.advance(60_000);
  expect(begun).toHaveLength(want);
});

it.each([
  { how: "well" as const, name: "is done" },
  { how: new Error("broke off"), name: "failed" },
])("begins with the next one when one $name", async ({ how }) => {
  const { clock, begun, end } = await saveAll(mostAtOnce + 1);
  end(how);
  await setImmediate();
  clock.advance(1_000);
  expect(begun.slice(mostAtOnce)).toEqual([`s${mostAtOnce + 1}`]);
});

it("gives a runtime up that sends nothing for 60 s, and asks it again", async () => {
  const clock = new FakeClock();
  const opened: Duplex[] = [];
  const open = (): Promise<Duplex> => {
    opened.push(new Duplex({ read: () => undefined, write: () => undefined }));
    return Promise.resolve(opened.at(-1)!);
  };
  const leases = { open: () => Promise.resolve({ hasSnapshot: false }) } as never;
  const archives = new Archives({ blobs: new FakeStore(), random, logger });
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
