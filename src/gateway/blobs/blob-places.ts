import type { BlobStore } from "../../blobs/blob-store.ts";

/** A session that has blobs. */
export interface SessionPlace {
  sessionUid: string;
  /** The Session's. */
  namespace: string;
}

/** What lies beside a session's blobs and says in which namespace it is: `<session UID>/namespace/<namespace>`, empty. */
const folder = "namespace";

/**
 * Notes where a session is. Comes before the first of its blobs, so that a gateway that sees some namespaces only can
 * tell a Session that is gone from one that is elsewhere.
 */
export async function notePlace(
  blobs: Pick<BlobStore, "put">,
  { sessionUid, namespace }: SessionPlace,
  signal?: AbortSignal,
): Promise<void> {
  await blobs.put(`${sessionUid}/${folder}/${namespace}`, new Uint8Array(), signal ? { signal } : {});
}

/** The namespace of the session whose blobs these are; undefined where it was not noted. */
export async function placeOf(blobs: Pick<BlobStore, "list">, sessionUid: string): Promise<string | undefined> {
  const prefix = `${sessionUid}/${folder}/`;
  for await (const { key } of blobs.list(prefix)) return key.slice(prefix.length);
  return undefined;
}

/** Deletes a session's blobs, last what says where it is: when this breaks off, it is still known whose the rest is. */
export async function deleteBlobsOf(blobs: Pick<BlobStore, "list" | "deleteAll">, sessionUid: string): Promise<void> {
  const folders = new Set<string>();
  for await (const { key } of blobs.list(`${sessionUid}/`)) {
    const [, first = "", ...below] = key.split("/");
    if (first !== folder && below.length > 0) folders.add(first);
  }
  for (const one of folders) await blobs.deleteAll(`${sessionUid}/${one}/`);
  await blobs.deleteAll(`${sessionUid}/`);
}
