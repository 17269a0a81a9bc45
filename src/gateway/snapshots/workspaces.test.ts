import { Duplex, Readable } from "node:stream";
import { expect, it } from "vitest";
import type { Session } from "../../api/v1alpha1/session.ts";
import { systemClock } from "../../lib/clock.ts";
import { markWhole } from "../../lib/whole-stream.ts";
import { createLogger } from "../../telemetry/logger.ts";
import { FakeStore } from "../events/fake-store.ts";
import { Workspaces } from "./workspaces.ts";

const attempt = { name: "s1-2", namespace: "demo", session: "fix", sessionUid: "s1", attempt: 2 };
type Deps = ConstructorParameters<typeof Workspaces>[0];

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

function workspacesWith(stream: Duplex): Workspaces {
  const session = { metadata: { name: "fix", uid: "s1" }, spec: {}, status: { snapshot: { attempt: 1, bytes: 3 } } };
  const deps: Partial<Deps> = {
    clock: systemClock,
    logger: createLogger({ process: "gateway", level: "fatal" }),
    blobs: { get: () => Promise.resolve({ size: 3, content: Readable.from([Buffer.from("abc")]) }) } as never,
    streams: { open: () => Promise.resolve(stream) },
    session: () => session as unknown as Session,
    runtime: () => ({}) as never,
  };
  return new Workspaces(deps as Deps);
}

it("notes where the session is before it stores its workspace", async () => {
  const store = new FakeStore();
  const sandbox = { attempt: 2, podUID: "p", snapshotTime: "2026-05-04T10:15:00.000Z" };
  const session = { metadata: { name: "fix", namespace: "demo", uid: "s1" }, spec: {}, status: { sandbox } };
  const { promise: noted, resolve: markSnapshot } = Promise.withResolvers<unknown>();
  const deps: Partial<Deps> = {
    clock: systemClock,
    logger: createLogger({ process: "gateway", level: "fatal" }),
    blobs: store as never,
    leases: { open: () => Promise.resolve({ hasSnapshot: false, markSnapshot }) } as never,
    streams: { open: () => Promise.resolve(Duplex.from(markWhole(Readable.from([Buffer.from("abc")])))) },
    session: () => session as unknown as Session,
    runtime: () => ({}) as never,
  };
  new Workspaces(deps as Deps).sessionChanged("s1");
  expect(await noted).toEqual({ bytes: 3 });
  expect(store.puts).toEqual(["s1/namespace/demo", "s1/snapshots/2/workspace.tar.zst"]);
});

it("closes the stream of a workspace that was given back, all of it", async () => {
  const { stream, closed } = aStream();
  workspacesWith(stream).restore(attempt);
  expect(await closed).toMatch(/^abc\n?runwright:whole\n$/);
});

it("closes the stream of a workspace that could not be given back", async () => {
  const { stream, closed } = aStream(1);
  workspacesWith(stream).restore(attempt);
  await closed;
  expect(stream.destroyed).toBe(true);
});
