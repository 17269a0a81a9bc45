import { Buffer } from "node:buffer";

/** Orders texts by their UTF-8 bytes, so that the order is the same everywhere. */
export function compareBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
