import type { BlobStore } from "./blob-store.ts";
import { DirectoryStore } from "./directory-store.ts";
import type { S3Options } from "./s3-store.ts";

/** Which blob store this release has. */
export type BlobStoreConfig = { type: "directory"; directory: string } | ({ type: "s3" } & S3Options);

/** Rejects when a directory cannot be written; whether a bucket is there shows at its first use. */
export async function openBlobStore(config: BlobStoreConfig): Promise<BlobStore> {
  if (config.type === "directory") return DirectoryStore.open(config.directory);
  // A large library that most installations do not need.
  const { S3Store } = await import("./s3-store.ts");
  return new S3Store(config);
}
