import { Buffer } from "node:buffer";

import { ProviderError } from "./provider-error.ts";

/** Bytes of a provider's answer that are read; ours are far shorter. */
const longestAnswer = 2_097_152;

/** The whole body of an answer. @throws ProviderError where it is too long */
export async function readAnswer({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > longestAnswer) throw new ProviderError("unavailable", `The answer is over ${longestAnswer} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
