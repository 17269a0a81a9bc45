import { Duplex, Readable } from "node:stream";
import { expect, it } from "vitest";
import type { Session } from "../../api/v1alpha1/session.ts";
import { systemClock } from "../../lib/clock.ts";
import { markWhole } from "../../lib/whole-stream.ts";
import { createLogger } from "../../telemetry/logger.ts";
import { FakeStore } from "../events/fake-store.ts";
import { Saves } from "./saves.ts";

type Deps = ConstructorParameters<typeof Saves>[0];

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
  new Saves(deps as Deps).sessionChanged("s1");
  expect(await noted).toEqual({ bytes: 3 });
  expect(store.puts).toEqual(["s1/namespace/demo", "s1/snapshots/2/workspace.tar.zst"]);
});
