/** End marker of a complete stream; one that breaks off lacks it. */
const lastWord = new TextEncoder().encode("runwright:whole\n");

/** Maximum bytes of one piece: a stream that was paused emits all that it buffered at once. */
export const longestPiece = 32_768;

/** A stream ended before its end marker. */
export class BrokenOffError extends Error {
  override readonly name = "BrokenOffError";
}

/** Appends the end marker to the source; `confirm` may reject when the source was not complete. */
export async function* markWhole(
  source: AsyncIterable<Uint8Array>,
  confirm: () => Promise<void> = () => Promise.resolve(),
  longest = longestPiece,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    for (let start = 0; start < chunk.length; start += longest) yield chunk.subarray(start, start + longest);
  }
  await confirm();
  yield lastWord;
}

/** Undoes {@link markWhole}; pieces pass without a copy. @throws BrokenOffError when the end marker is missing */
export async function* whole(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array = new Uint8Array();
  for await (const chunk of source) {
    const all = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    const sure = all.length - markedLength(all);
    if (sure > 0) yield all.subarray(0, sure);
    held = all.subarray(sure);
  }
  if (held.length < lastWord.length) throw new BrokenOffError("the stream ended before all was sent");
}

/** Bytes at the end with which the end marker may begin. */
function markedLength(bytes: Uint8Array): number {
  let length = Math.min(bytes.length, lastWord.length);
  while (!lastWord.subarray(0, length).every((byte, at) => byte === bytes[bytes.length - length + at])) length -= 1;
  return length;
}
