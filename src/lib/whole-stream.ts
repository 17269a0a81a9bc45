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
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    for (let start = 0; start < chunk.length; start += longestPiece) yield chunk.subarray(start, start + longestPiece);
  }
  await confirm();
  yield lastWord;
}

/** Undoes {@link markWhole}. @throws BrokenOffError when the end marker is missing */
export async function* whole(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held = new Uint8Array();
  for await (const chunk of source) {
    const all = Buffer.concat([held, chunk]);
    const sure = Math.max(0, all.length - lastWord.length);
    if (sure > 0) yield all.subarray(0, sure);
    held = all.subarray(sure);
  }
  if (!Buffer.from(held).equals(lastWord)) throw new BrokenOffError("the stream ended before all was sent");
}
