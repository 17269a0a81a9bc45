import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { type BlobContent, BlobTooLargeError, type StoredBlob } from "./blob-store.ts";

/** The content in pieces. @throws BlobTooLargeError after `maxBytes` bytes */
export async function* boundedContent(content: BlobContent, maxBytes = Infinity): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of content instanceof Uint8Array ? [content] : content) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new BlobTooLargeError(maxBytes);
    yield piece;
  }
}

/** All of a blob in memory. @throws BlobTooLargeError */
export function readBlob({ content }: StoredBlob, maxBytes: number): Promise<Buffer> {
  return buffer(Readable.from(boundedContent(content, maxBytes)));
}
