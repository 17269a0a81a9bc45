import { buffer } from "node:stream/consumers";
import { Readable } from "node:stream";
import type { StoredBlob } from "./blob-store.ts";
import { boundedContent } from "./bounded-content.ts";

/** All of a blob in memory. @throws BlobTooLargeError */
export function readBlob({ content }: StoredBlob, maxBytes: number): Promise<Buffer> {
  return buffer(Readable.from(boundedContent(content, maxBytes)));
}
