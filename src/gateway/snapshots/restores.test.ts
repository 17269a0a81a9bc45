import { Duplex, Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { beforeEach, expect, it } from "vitest";
import { aSession } from "../../../test/support/builders.ts";
import type { RestoreNote } from "../../api/runtime/bundle.ts";
import type { SessionStatus } from "../../api/v1alpha1/session.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { stillMs } from "../../lib/unless-still.ts";
import { createLogger } from "../../telemetry/logger.ts";
import { Restores } from "./restores.ts";

const attempt = { name: "s1-2", namespace: "demo", session: "fix", sessionUid: "s1", attempt: 2 };
type Deps = ConstructorParameters<typeof Restores>[0];

/** What was opened in the blob store. */
let contents: Readable[];
/** What was noted on the attempt's Lease. */
let notes: RestoreNote[];
let clock: FakeClock;
beforeEach(() => {
  clock = new FakeClock();
  contents = [];
  notes = [];
});

/** A runtime's end of a stream, which says nothing; with a number, it breaks off at that write. */
function aStream(breaksAt = Infinity): { stream: Duplex; closed: Promise<string> } {
  const written: string[] = [];
  const { promise: closed, resolve } = Promise.withResolvers<string>();
  const stream = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk.toString());
      done(written.length >= breaksAt ? new Error("broke off") : null);
    },
  });
  stream.on("error", () => undefined);
  stream.once("close", () => resolve(written.join("")));
  return { stream, closed };
}

function restoresBy(
  open: () => Promise<Duplex>,
  read: Deps["archives"]["read"] = aBlob,
  status: SessionStatus = { snapshot: { ...saved, attempt: 1, archive: "a1", time: "" } },
): Restores {
  const session = aSession({ metadata: { uid: "s1" }, status });
  const lease = {
    get restore() {
      return notes.at(-1);
    },
    markRestore: (note: RestoreNote) => Promise.resolve(void notes.push(note)),
  };
  return new Restores({
    clock,
    logger: createLogger({ process: "gateway", level: "fatal" }),
    archives: { read },
    streams: { open },
    leases: { open: () => Promise.resolve(lease as never) },
    owner: () => session,
    runtime: () => ({}) as never,
  });
}

function aBlob(): ReturnType<Deps["archives"]["read"]> {
  const content = Readable.from([Buffer.from("abc")]);
  contents.push(content);
  return Promise.resolve({ size: 3, content, saved });
}

const saved = { bytes: 3, digest: "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" };
const lost =
  (changed: object): Deps["archives"]["read"] =>
  async () => ({ ...(await aBlob())!, ...changed });
const otherDigest = { saved: { ...saved, digest: `sha256:${"0".repeat(64)}` } };

it.each([
  { name: "with another digest", read: lost(otherDigest), want: "Damaged", sent: /^abc$/ },
  { name: "that was cut short", read: lost({ size: 2 }), want: "Damaged", sent: /^$/ },
  { name: "that is too long", read: lost({ size: 4 }), want: "Damaged", sent: /^$/ },
  { name: "that is not there", read: () => Promise.resolve(undefined), want: "Missing", sent: /^runwright:whole\n$/ },
])("notes an archive $name, and sends an empty one from then on", async ({ read, want, sent }) => {
  const [first, second] = [aStream(), aStream()];
  const streams = [first, second];
  const restores = restoresBy(() => Promise.resolve(streams.shift()!.stream), read);
  restores.begin(attempt);
  expect(await first.closed).toMatch(sent);
  await setImmediate();
  expect(notes).toEqual([{ of: 1, problem: want }]);
  restores.begin(attempt);
  expect(await second.closed).toBe("runwright:whole\n");
  expect(notes.at(-1)).toEqual({ of: 1, problem: want });
});

it.each([
  { name: "damaged, and notes so", read: lost(otherDigest), want: [{ of: 1, problem: "Damaged" }] },
  { name: "sound, and notes nothing", read: undefined, want: [] },
  { name: "of an earlier version, and notes nothing", read: lost({ saved: { bytes: 3 } }), want: [] },
])("reads the archive for itself where the runtime broke off: it is $name", async ({ read, want }) => {
  const { stream, closed } = aStream(1);
  restoresBy(() => Promise.resolve(stream), read).begin(attempt);
  await closed;
  await setImmediate();
  expect(notes).toEqual(want);
});

it("reads a sound archive for itself once for each attempt, however often its runtime connects and breaks off", async () => {
  const streams = [aStream(1), aStream(1), aStream(1)];
  const opened = [...streams];
  const restores = restoresBy(() => Promise.resolve(opened.shift()!.stream));
  for (const { closed } of streams) {
    restores.begin(attempt);
    await closed;
    await setImmediate();
  }
  // Once for each stream, and once for itself.
  expect(contents.length).toBe(4);
  opened.push(aStream(1));
  const { closed } = opened[0]!;
  restores.begin({ ...attempt, name: "s1-3", attempt: 3 });
  await closed;
  await setImmediate();
  expect([contents.length, notes]).toEqual([6, []]);
});

it("closes the stream of a workspace that was given back, all of it", async () => {
  const { stream, closed } = aStream();
  restoresBy(() => Promise.resolve(stream)).begin(attempt);
  expect(await closed).toMatch(/^abc\n?runwright:whole\n$/);
  await setImmediate();
  expect(notes).toEqual([{ of: 1 }]);
});

it("closes the stream of a workspace that could not be given back", async () => {
  const { stream, closed } = aStream(1);
  restoresBy(() => Promise.resolve(stream)).begin(attempt);
  await closed;
  expect(stream.destroyed).toBe(true);
});

it("leaves nothing of the blob store open where the runtime does not dial", async () => {
  const opened = Promise.withResolvers<Duplex>();
  restoresBy(() => opened.promise).begin(attempt);
  await setImmediate();
  opened.reject(new Error("silent"));
  await setImmediate();
  expect(contents.filter(({ destroyed }) => !destroyed)).toEqual([]);
});

it("does not say that all was sent where the blob store does not answer", async () => {
  const { stream, closed } = aStream();
  const down = (): Promise<never> => Promise.reject(new Error("down"));
  restoresBy(() => Promise.resolve(stream), down).begin(attempt);
  expect(await closed).toBe("");
});

const onImage: SessionStatus = {
  prebuiltImage: { name: "web", uid: "i1", reason: "Used", build: 7, archive: "a7", ...saved },
};
const unreachable = { of: 7, image: true, problem: "Unreachable" };

it.each([
  { what: "an image: not yet", status: onImage, afterMs: 29_999, want: [] },
  { what: "an image: it begins without", status: onImage, afterMs: 30_000, want: [unreachable] },
  { what: "a saved workspace: it waits", status: undefined, afterMs: 1_800_000, want: [] },
])("a sandbox whose blob store is away for $afterMs ms and that is to begin with $what", async (row) => {
  const { status, afterMs, want } = row;
  const down = (): Promise<never> => Promise.reject(new Error("down"));
  const restores = restoresBy(() => Promise.resolve(aStream().stream), down, status);
  restores.begin(attempt);
  await setImmediate();
  clock.advance(afterMs);
  restores.begin(attempt);
  await setImmediate();
  expect(notes).toEqual(want);
});

it("sends an empty stream instead of an image that was out of reach", async () => {
  const streams = [aStream(), aStream(), aStream()];
  const last = streams[2]!.closed;
  const down = (): Promise<never> => Promise.reject(new Error("down"));
  const restores = restoresBy(() => Promise.resolve(streams.shift()!.stream), down, onImage);
  for (let time = 1; time <= 3; time += 1) {
    restores.begin(attempt);
    await setImmediate();
    clock.advance(30_000);
  }
  expect(await last).toBe("runwright:whole\n");
  expect(notes).toEqual([unreachable]);
});

it("gives a runtime up that takes nothing for 60 s, and it may ask again", async () => {
  const stuck = new Duplex({ read: () => undefined, write: () => undefined, highWaterMark: 1 });
  let opened = 0;
  const restores = restoresBy(() => Promise.resolve(((opened += 1), stuck)));
  restores.begin(attempt);
  await setImmediate();
  clock.advance(stillMs - 1);
  expect(stuck.destroyed).toBe(false);
  clock.advance(1);
  await setImmediate();
  expect(stuck.destroyed).toBe(true);
  restores.begin(attempt);
  await setImmediate();
  expect(opened).toBe(2);
});

it("gives an attempt one restore at a time, and others theirs", async () => {
  let opened = 0;
  const first = Promise.withResolvers<Duplex>();
  const restores = restoresBy(() => {
    opened += 1;
    return first.promise;
  });
  restores.begin(attempt);
  restores.begin(attempt);
  await setImmediate();
  expect(opened).toBe(1);
  restores.begin({ ...attempt, name: "s2-1" });
  await setImmediate();
  expect(opened).toBe(2);
  first.reject(new Error("silent"));
  await setImmediate();
  restores.begin(attempt);
  await setImmediate();
  expect(opened).toBe(3);
});

it.each([
  { name: "sound", read: undefined, problem: "Refused" },
  { name: "damaged", read: lost(otherDigest), problem: "Damaged" },
])(
  "notes an archive that the runtime refuses and that is $name, and sends an empty one from then on",
  async ({ read, problem }) => {
    const [first, second] = [aStream(), aStream()];
    const streams = [first, second];
    const restores = restoresBy(() => Promise.resolve(streams.shift()!.stream), read);
    restores.begin(attempt, true);
    expect(await first.closed).toBe("runwright:whole\n");
    await setImmediate();
    restores.begin(attempt, true);
    expect(await second.closed).toBe("runwright:whole\n");
    expect(notes.filter((note) => note.problem !== undefined)).toEqual([{ of: 1, problem }]);
  },
);
