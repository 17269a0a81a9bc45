/** Passes bytes on in pieces of this size, in bytes, of which the last may be smaller. */
export async function* inPieces(source: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  for await (const chunk of source) {
    held.push(chunk);
    heldBytes += chunk.length;
    if (heldBytes < size) continue;
    const bytes = joined(held);
    let start = 0;
    for (; bytes.length - start >= size; start += size) yield bytes.subarray(start, start + size);
    heldBytes = bytes.length - start;
    held = heldBytes === 0 ? [] : [bytes.subarray(start)];
  }
  if (heldBytes > 0) yield joined(held);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces;
  return first && pieces.length === 1 ? first : Buffer.concat(pieces);
}
