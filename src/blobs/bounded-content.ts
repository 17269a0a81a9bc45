import { type BlobContent, BlobTooLargeError } from "./blob-store.ts";

/** The content in pieces. @throws BlobTooLargeError after `maxBytes` bytes */
export async function* boundedContent(content: BlobContent, maxBytes = Infinity): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of content instanceof Uint8Array ? [content] : content) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new BlobTooLargeError(maxBytes);
    yield piece;
  }
}
