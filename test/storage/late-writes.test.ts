import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import type { SessionEvent } from "../../src/api/runtime/session-event.ts";
import { S3Store } from "../../src/blobs/s3-store.ts";
import { EventReader } from "../../src/gateway/events/event-reader.ts";
import { Journal } from "../../src/gateway/events/journal.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { type LateProxy, startLateProxy } from "../support/late-proxy.ts";
import { eventually } from "../support/runtime-world.ts";
import { type S3Server, startS3Server } from "../support/s3-server.ts";

const uid = "11111111-2222-3333-4444-555555555555";
let server: S3Server;
let proxy: LateProxy;
let count = 0;

beforeAll(async () => {
  server = await startS3Server();
  vi.stubEnv("AWS_ACCESS_KEY_ID", server.credentials.accessKeyId);
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", server.credentials.secretAccessKey);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await server.close();
});
beforeEach(async () => {
  count += 1;
  proxy = await startLateProxy(server.url);
});
afterEach(() => proxy.close());

function storeAt(endpoint: string): S3Store {
  const prefix = `late-${String(count)}/`;
  return new S3Store({ bucket: server.bucket, prefix, region: "us-east-1", endpoint, forcePathStyle: true });
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

function said(text: string): SessionEvent["event"] {
  return { kind: "output", source: "agent", stream: "stdout", text };
}

async function textsIn(store: S3Store): Promise<string[]> {
  const texts: string[] = [];
  for await (const { event } of new EventReader(store, uid).read(new AbortController().signal))
    texts.push(event.kind === "output" ? event.text : event.kind);
  return texts;
}
