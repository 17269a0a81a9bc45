/** What a sender that got to its end says last; a stream that breaks off before it ends without. */
const lastWord = new TextEncoder().encode("runwright:whole\n");

/** Bytes of the longest piece that is passed on: a stream that was paused gives all that it held as one. */
export const longestPiece = 32_768;

/** A stream ended before its sender had said all. */
export class BrokenOffError extends Error {
  override readonly name = "BrokenOffError";
}

/** The source, and at its end the word that it was whole; `confirm` may reject when it was not. */
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

/** What {@link markWhole} was given. @throws BrokenOffError when the word is missing */
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
