import type { Random } from "../../../lib/random.ts";

/** Bytes in a message that are encoded piece by piece as it is written, so that large images do not fill the memory. */
export class Base64 {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/** Bytes of one piece; a multiple of 3, so that the base64 of the pieces can be joined. */
const pieceBytes = 3 * 65_536;

/** A message as a line of JSON, in pieces. */
export function* messageLine(message: object, random: Pick<Random, "uuid">): Generator<string> {
  const parts: Uint8Array[] = [];
  const mark = random.uuid();
  const json = JSON.stringify(message, (_key, value: unknown) => {
    if (!(value instanceof Base64)) return value;
    parts.push(value.bytes);
    return mark;
  });
  const [first = "", ...rest] = json.split(mark);
  yield first;
  for (const [index, text] of rest.entries()) {
    yield* base64Of(parts[index] ?? new Uint8Array());
    yield text;
  }
  yield "\n";
}

function* base64Of(bytes: Uint8Array): Generator<string> {
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    yield Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.min(pieceBytes, bytes.length - start)).toString(
      "base64",
    );
  }
}
