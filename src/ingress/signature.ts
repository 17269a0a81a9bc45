import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";

import type { SignatureScheme } from "../domain/deliveries/signature-scheme.ts";

/** Bytes of the digests of our algorithms. */
const digestBytes = { sha1: 20, sha256: 32, sha512: 64 } as const;

/** Signatures as they were sent, and what one of them has to be of. */
export interface Signed {
  scheme: Pick<SignatureScheme, "algorithm" | "encoding">;
  /** Without prefix; one of them has to be right. */
  signatures: readonly string[];
  /** In this order; bytes that are not UTF-8 can be signed, too. */
  parts: readonly (string | Uint8Array)[];
}

/** Signs with each of the keys while the bytes arrive, so that they need not be read twice. */
export class SignatureCheck {
  readonly #signers: readonly ReturnType<typeof createHmac>[];

  constructor({ algorithm }: Pick<SignatureScheme, "algorithm">, keys: readonly (string | Uint8Array)[]) {
    this.#signers = keys.map((key) => createHmac(algorithm, key));
  }

  update(part: string | Uint8Array): void {
    for (const signer of this.#signers) signer.update(part);
  }

  /** Whether one of these is a key's digest of all parts so far; may be called once, as each key makes one digest. */
  isSignedBy(digests: readonly Buffer[]): boolean {
    return this.#signers.some((signer) => {
      const ours = signer.digest();
      return digests.some((sent) => timingSafeEqual(ours, sent));
    });
  }
}

/** Whether one of the keys has signed; hexadecimal is taken in any case. The comparison takes constant time. */
export function isSigned({ scheme, signatures, parts }: Signed, keys: readonly (string | Uint8Array)[]): boolean {
  const digests = digestsIn(signatures, scheme);
  if (digests.length === 0) return false;
  const check = new SignatureCheck(scheme, keys);
  for (const part of parts) check.update(part);
  return check.isSignedBy(digests);
}

/** The signatures that can be digests of the scheme; without any there is nothing to hash a body for. */
export function digestsIn(signatures: readonly string[], { algorithm, encoding }: Signed["scheme"]): Buffer[] {
  return signatures
    .map((signature) => decoded(signature, encoding))
    .filter((bytes) => bytes !== undefined)
    .filter(({ length }) => length === digestBytes[algorithm]);
}

const patterns = {
  hex: /^(?:[0-9a-f]{2})+$/i,
  // In either alphabet, and without padding: senders differ, and a digest has one length.
  base64: /^(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)={0,2}$/,
};

/** Undefined for a text that is not of the encoding, of which Node would read what it can. */
function decoded(text: string, encoding: SignatureScheme["encoding"]): Buffer | undefined {
  return patterns[encoding].test(text) ? Buffer.from(text, encoding) : undefined;
}
