import { SnapshotNote } from "../../src/api/runtime/bundle.ts";
import { archiveKey } from "../../src/api/v1alpha1/names.ts";
import type { BlobStore } from "../../src/blobs/blob-store.ts";
import { eventually, type SandboxFixture } from "./runtime-world.ts";

export interface SavedWorkspace {
  /** Bytes, as the gateway noted. */
  bytes: number;
  /** Of the archive, in the blob store. */
  key: string;
  /** What the controller would write into the session's status. */
  snapshot: { attempt: number; archive: string; bytes: number; digest: string; time: string };
}

/** What the gateway notes when it has saved the attempt's workspace. */
export async function savedWorkspace(sandbox: SandboxFixture): Promise<SavedWorkspace> {
  const stored = await eventually("the workspace is saved", async () => {
    const note = SnapshotNote.parse(JSON.parse(await sandbox.noted("snapshot")));
    const { archive, bytes, digest } = note;
    return archive === undefined || bytes === undefined || digest === undefined
      ? undefined
      : { archive, bytes, digest };
  });
  const snapshot = { attempt: sandbox.attempt, ...stored, time: new Date().toISOString() };
  return { bytes: stored.bytes, key: archiveKey(sandbox.sessionUid, snapshot), snapshot };
}

/** Has a later attempt begin with what was saved of another sandbox's workspace, as if it had been its session's. */
export async function inherit(
  blobs: Pick<BlobStore, "get" | "put">,
  sandbox: SandboxFixture,
  { key, snapshot }: SavedWorkspace,
): Promise<void> {
  const saved = await blobs.get(key);
  if (!saved) throw new Error(`there is no ${key}`);
  await blobs.put(archiveKey(sandbox.sessionUid, snapshot), saved.content);
  await sandbox.status({ snapshot });
}
