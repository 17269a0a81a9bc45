import { setImmediate as turn } from "node:timers/promises";
import { buffer } from "node:stream/consumers";

import { expect, it } from "vitest";

import { aSession } from "../../../test/support/builders.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import { systemRandom as random } from "../../lib/random.ts";
import { createLogger } from "../../telemetry/logger.ts";
import { FakeStore } from "../events/fake-store.ts";
import { attemptOf } from "../attempts/attempt.ts";
import type { BlobBudgets } from "../blobs/blob-budgets.ts";
import { BlobUsage } from "../blobs/blob-usage.ts";
import { Archives } from "./archives.ts";
import { archiveToRestore } from "./saved-archive.ts";

const logger = createLogger({ process: "gateway", level: "fatal" });
const archivesIn = (blobs: FakeStore, budgets: BlobBudgets = {}): Archives =>
  new Archives({ blobs, usage: new BlobUsage({ blobs, budgets }), random, logger });

function sessionAt(
  attempt: number,
  snapshot?: { attempt: number; archive?: string; volumeSnapshotName?: string },
): Session {
  const sandbox = { attempt, podName: "p", createTime: "" };
  const status = { sandbox, ...(snapshot && { snapshot: { ...snapshot, bytes: 1, time: "" } }) };
  return aSession({ metadata: { name: "fix", uid: "s1" }, status });
}

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield await Promise.resolve(Buffer.from(text));
}

it("gives back what the status names, whatever else was stored of the attempt", async () => {
  const archives = archivesIn(new FakeStore());
  const attempt = attemptOf(sessionAt(2), 2);
  const { archive: first, ...measure } = await archives.store(attempt, pieces("fir", "st"));
  const digest = "sha256:a7937b64b8caa58f03721bb6bacf5c78cb235febe0e70b1b84cd99541461a08e";
  expect(measure).toEqual({ bytes: 5, digest });
  const { archive: second } = await archives.store(attempt, pieces("second"));
  for (const [archive, text] of [
    [first, "first"],
    [second, "second"],
  ] as const) {
    const found = await archives.read(archiveToRestore(sessionAt(3, { attempt: 2, archive }))!);
    expect(String(await buffer(found!.content))).toBe(text);
  }
  expect(await archives.read(archiveToRestore(sessionAt(3, { attempt: 1, archive: first }))!)).toBeUndefined();
  expect(archiveToRestore(sessionAt(3, { attempt: 2, volumeSnapshotName: "fix-2" }))).toBeUndefined();
  expect(archiveToRestore(sessionAt(3))).toBeUndefined();
});

it("keeps of earlier attempts only what the status names, and all of the current one", async () => {
  const blobs = new FakeStore();
  const archives = archivesIn(blobs);
  const stored = async (attempt: number): Promise<string> =>
    (await archives.store(attemptOf(sessionAt(2), attempt), pieces("x"))).archive;
  const [, , named, late] = [await stored(1), await stored(2), await stored(2), await stored(2)];
  const [own, other] = [await stored(3), await stored(3)];
  await archives.forgetOlder(sessionAt(3, { attempt: 2, archive: named }));
  const left = [...blobs.blobs.keys()].filter((key) => key.includes("/snapshots/"));
  expect(left.map((key) => key.split("/")[3])).toEqual([named, own, other]);
  expect(late).not.toBe(named);
});

it("deletes what a failed saving has stored all the same", async () => {
  const blobs = new FakeStore();
  blobs.beforePut = (key, content) => {
    if (!key.includes("/snapshots/")) return;
    blobs.blobs.set(key, content);
    throw new Error("timed out");
  };
  const archives = archivesIn(blobs);
  await expect(archives.store(attemptOf(sessionAt(2), 2), pieces("x"))).rejects.toThrow("timed out");
  await turn();
  expect([...blobs.blobs.keys()]).toEqual(blobs.puts);
});
