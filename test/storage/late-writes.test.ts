import { Duplex } from "node:stream";
import { buffer } from "node:stream/consumers";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { SnapshotNote } from "../../src/api/runtime/bundle.ts";
import type { SessionEvent } from "../../src/api/runtime/session-event.ts";
import type { Session } from "../../src/api/v1alpha1/session.ts";
import { S3Store } from "../../src/blobs/s3-store.ts";
import { EventReader } from "../../src/gateway/events/event-reader.ts";
import { Journal } from "../../src/gateway/events/journal.ts";
import type { BlobStore } from "../../src/blobs/blob-store.ts";
import { BlobUsage } from "../../src/gateway/blobs/blob-usage.ts";
import { Archives } from "../../src/gateway/snapshots/archives.ts";
import { archiveToRestore } from "../../src/gateway/snapshots/saved-archive.ts";
import { Saves } from "../../src/gateway/snapshots/saves.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { FakeClock } from "../../src/lib/fake-clock.ts";
import { systemRandom as random } from "../../src/lib/random.ts";
import { markWhole } from "../../src/lib/whole-stream.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import { type LateProxy, startLateProxy } from "../support/late-proxy.ts";
import { eventually } from "../support/runtime-world.ts";
import { ownS3Server } from "../support/s3-server.ts";

const uid = "11111111-2222-3333-4444-555555555555";
const server = ownS3Server();
let proxy: LateProxy;
let count = 0;

beforeEach(async () => {
  count += 1;
  proxy = await startLateProxy(server.url);
});
afterEach(() => proxy.close());

function storeAt(endpoint: string): S3Store {
  const prefix = `late-${String(count)}/`;
  return new S3Store(
    { bucket: server.bucket, prefix, region: "us-east-1", endpoint, forcePathStyle: true },
    systemClock,
  );
}

describe("a put", () => {
  it("is tried again by itself, unless it is to be sent once", async () => {
    const store = storeAt(proxy.url);
    proxy.hold(1);
    await store.put("one/a", Buffer.from("a"));
    expect([proxy.held(), proxy.passed()]).toEqual([1, 1]);
    proxy.hold(1);
    await expect(store.put("one/b", Buffer.from("b"), { once: true })).rejects.toThrow();
    expect([proxy.held(), proxy.passed()]).toEqual([2, 1]);
  });
});

describe("events that were acknowledged", () => {
  // The client of S3 sends again by itself what breaks off, twice unless told otherwise.
  it.each([1, 2, 4])("are there although %i writes of before are stored behind theirs", async (times) => {
    const over = new AbortController();
    const journal = new Journal(
      { store: storeAt(proxy.url), clock: systemClock, writer: "w" },
      {
        attempt: { sessionUid: uid, attempt: 1, namespace: "n", session: "s", name: "a" },
        storedTo: 0,
        stored: () => undefined,
        failed: () => undefined,
        signal: over.signal,
      },
    );
    const store = (seq: number): Promise<unknown> => {
      journal.add(seq, said(`line ${seq}`));
      void journal.settle(seq);
      return eventually(`${seq} is stored`, () => journal.storedTo >= seq);
    };
    await store(1);
    proxy.hold(times);
    journal.add(2, said("line 2"));
    await eventually("a write broke off", () => proxy.held() > 0);
    for (const seq of [3, 4]) await store(seq);
    over.abort();
    expect(await proxy.deliver()).toEqual(Array.from({ length: times }, () => 200));
    expect(await textsIn(storeAt(server.url))).toEqual(["line 1", "line 2", "line 3", "line 4"]);
  });
});

function archivesIn(blobs: BlobStore): Archives {
  const logger = createLogger({ process: "gateway", level: "fatal" });
  return new Archives({ blobs, usage: new BlobUsage({ blobs, budgets: {} }), random, logger });
}

describe("a workspace", () => {
  it("that was saved stays although the upload of a try before is stored behind its own", async () => {
    const clock = new FakeClock();
    const notes: SnapshotNote[] = [];
    const time = clock.now().toISOString();
    const sandbox = { attempt: 1, podName: "fix-1", createTime: time, snapshotTime: time };
    const session = {
      metadata: { name: "fix", namespace: "demo", uid },
      spec: {},
      status: { sandbox },
    } as unknown as Session;
    const contents = ["older", "newer"];
    const logger = createLogger({ process: "gateway", level: "fatal" });
    const saves = new Saves({
      clock,
      logger,
      archives: archivesIn(storeAt(proxy.url)),
      leases: { open: () => Promise.resolve({ markSnapshot }) as never },
      streams: { open: () => Promise.resolve(Duplex.from(markWhole(pieceOf(contents.shift() ?? "")))) },
      owner: () => session,
      runtime: () => ({}) as never,
      waits: () => undefined,
    });
    function markSnapshot(note: SnapshotNote): Promise<void> {
      notes.push(note);
      return Promise.resolve();
    }
    proxy.hold(3, "/snapshots/");
    saves.ownerChanged(uid);
    await eventually("the first try has failed", () => proxy.held() === 3 && clock.timers > 0);
    clock.advance(5_000);
    const { bytes = 0, archive = "" } = await eventually("it is saved", () => notes.find((note) => note.archive));
    expect(await proxy.deliver()).toEqual([200, 200, 200]);
    const snapshot = { attempt: 1, bytes, archive, time };
    const saved = archivesIn(storeAt(server.url));
    const found = await saved.read(archiveToRestore({ ...session, status: { sandbox, snapshot } })!);
    expect(String(await buffer(found!.content))).toBe("newer");
  });
});

async function* pieceOf(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(text));
}

function said(text: string): SessionEvent["event"] {
  return { kind: "output", source: "agent", stream: "stdout", text };
}

async function textsIn(store: S3Store): Promise<string[]> {
  const texts: string[] = [];
  for await (const { event } of new EventReader(store, uid).read(new AbortController().signal))
    texts.push(event.kind === "output" ? event.text : event.kind);
  return texts;
}
