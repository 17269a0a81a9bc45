import { Buffer } from "node:buffer";

import { ProviderError } from "./provider-error.ts";

/** Bytes of a provider's answer that are read; ours are far shorter. */
const longestAnswer = 2_097_152;

/** The code of the failure where an answer is longer than what is read of one. */
const tooLong = "AnswerTooLong";

export function isTooLong(error: unknown): error is ProviderError {
  return error instanceof ProviderError && error.code === tooLong;
}

/**
 * The whole body of an answer. `failure` is what it means that the answer is too long: of a call that only reads, that it would
 * be so again. @throws ProviderError where it is too long
 */
export async function readAnswer(
  { body }: Pick<Response, "body">,
  failure: "unavailable" | "refused" = "unavailable",
): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > longestAnswer)
      throw new ProviderError(failure, `The answer is over ${longestAnswer} bytes`, { code: tooLong });
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
