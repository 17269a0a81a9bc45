import type { BlobStore } from "../../blobs/blob-store.ts";

/** A session that has blobs. */
export interface SessionPlace {
  sessionUid: string;
  /** The Session's. */
  namespace: string;
}

/** An empty blob `<session UID>/namespace/<namespace>` records the namespace of a session beside its other blobs. */
const folder = "namespace";

/**
 * Records the namespace of a session. Comes before the first of its blobs, so that a gateway that watches only some
 * namespaces can tell a deleted Session from one in another namespace.
 */
export async function notePlace(
  blobs: Pick<BlobStore, "put">,
  { sessionUid, namespace }: SessionPlace,
  signal?: AbortSignal,
): Promise<void> {
  await blobs.put(`${sessionUid}/${folder}/${namespace}`, new Uint8Array(), signal ? { signal } : {});
}

/** The recorded namespace of a session; undefined without a record. */
export async function placeOf(blobs: Pick<BlobStore, "list">, sessionUid: string): Promise<string | undefined> {
  const prefix = `${sessionUid}/${folder}/`;
  for await (const { key } of blobs.list(prefix)) return key.slice(prefix.length);
  return undefined;
}

/** The namespace that a key records; undefined for keys of other blobs. */
export function placeIn(key: string): string | undefined {
  const [, first, namespace] = key.split("/");
  return first === folder ? namespace : undefined;
}

/** Whether a key is that of a session's events. */
export function isEvents(key: string): boolean {
  return key.split("/")[1] === "events";
}

/** Deletes a session's blobs, the record of its namespace last, so that an interrupted deletion can be resumed. */
export async function deleteBlobsOf(blobs: Pick<BlobStore, "list" | "deleteAll">, sessionUid: string): Promise<void> {
  const folders = new Set<string>();
  for await (const { key } of blobs.list(`${sessionUid}/`)) {
    const [, first = "", ...below] = key.split("/");
    if (first !== folder && below.length > 0) folders.add(first);
  }
  for (const one of folders) await blobs.deleteAll(`${sessionUid}/${one}/`);
  await blobs.deleteAll(`${sessionUid}/`);
}
