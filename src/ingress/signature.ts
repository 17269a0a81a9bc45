import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";

import type { SignatureScheme } from "../domain/deliveries/signature-scheme.ts";

/** Bytes of the digests of our algorithms. */
const digestBytes = { sha1: 20, sha256: 32, sha512: 64 } as const;

/** A signature as it was sent, and what it has to be of. */
export interface Signed {
  scheme: Pick<SignatureScheme, "algorithm" | "encoding">;
  /** Without prefix. */
  signature: string;
  /** In this order; bytes that are not UTF-8 can be signed, too. */
  parts: readonly (string | Uint8Array)[];
}

/** Whether one of the keys has signed; hexadecimal is taken in any case. The comparison takes constant time. */
export function isSigned(
  { scheme: { algorithm, encoding }, signature, parts }: Signed,
  keys: readonly (string | Uint8Array)[],
): boolean {
  const sent = decoded(signature, encoding);
  if (sent?.length !== digestBytes[algorithm]) return false;
  return keys.some((key) => {
    const hmac = createHmac(algorithm, key);
    for (const part of parts) hmac.update(part);
    return timingSafeEqual(hmac.digest(), sent);
  });
}

const patterns = {
  hex: /^(?:[0-9a-f]{2})+$/i,
  base64: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
};

/** Undefined for a text that is not of the encoding, of which Node would read what it can. */
function decoded(text: string, encoding: SignatureScheme["encoding"]): Buffer | undefined {
  return patterns[encoding].test(text) ? Buffer.from(text, encoding) : undefined;
}
