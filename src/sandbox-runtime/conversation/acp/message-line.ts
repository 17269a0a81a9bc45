import type { Random } from "../../../lib/random.ts";

/** Bytes in a message, which become base64 text only on the way, piece by piece: as a whole they would fill the memory. */
export class Base64 {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/** Bytes of one piece: three of them are four characters. */
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
