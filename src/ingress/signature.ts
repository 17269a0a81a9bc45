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

/** Signs with each of the keys while the bytes arrive, so that they need not be read twice. */
export class SignatureCheck {
  readonly #scheme: Signed["scheme"];
  readonly #signers: readonly ReturnType<typeof createHmac>[];

  constructor(scheme: Signed["scheme"], keys: readonly (string | Uint8Array)[]) {
    this.#scheme = scheme;
    this.#signers = keys.map((key) => createHmac(scheme.algorithm, key));
  }

  update(part: string | Uint8Array): void {
    for (const signer of this.#signers) signer.update(part);
  }

  /** Whether one of the keys has signed all parts so far; may be called once. */
  isSignedBy(signature: string): boolean {
    const { algorithm, encoding } = this.#scheme;
    const sent = decoded(signature, encoding);
    if (sent?.length !== digestBytes[algorithm]) return false;
    return this.#signers.some((signer) => timingSafeEqual(signer.digest(), sent));
  }
}

/** Whether one of the keys has signed; hexadecimal is taken in any case. The comparison takes constant time. */
export function isSigned({ scheme, signature, parts }: Signed, keys: readonly (string | Uint8Array)[]): boolean {
  const check = new SignatureCheck(scheme, keys);
  for (const part of parts) check.update(part);
  return check.isSignedBy(signature);
}

const patterns = {
  hex: /^(?:[0-9a-f]{2})+$/i,
  base64: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
};

/** Undefined for a text that is not of the encoding, of which Node would read what it can. */
function decoded(text: string, encoding: SignatureScheme["encoding"]): Buffer | undefined {
  return patterns[encoding].test(text) ? Buffer.from(text, encoding) : undefined;
}
