import { createPrivateKey, type KeyObject } from "node:crypto";

/**
 * Bounds of a key that a tenant gives us: what a signature costs grows with the cube of its bits, so that one of 262,144 bits takes
 * hours. The text is bounded, too, as OpenSSL computes with what it reads before it can be asked for its size.
 */
export const rsaLimits = { leastBits: 2_048, mostBits: 8_192, characters: 16_384 } as const;

/** OpenSSL blinds each signature with the public exponent. */
const exponentEnd = 2n ** 32n;

/** A key that signs in bounded time, as PKCS #8 in PEM form, or what is wrong with it, as the end of a sentence. */
export type ReadRsaKey = { pem: string } | { problem: string };

const notRsa = "is no private RSA key in PEM form";

/** Reads a private RSA key in PEM form, of PKCS #1 as GitHub gives it out, or of PKCS #8. */
export function readRsaKey(text: string): ReadRsaKey {
  const { leastBits, mostBits, characters } = rsaLimits;
  const inBits = `${leastBits.toLocaleString("en")} to ${mostBits.toLocaleString("en")} bits`;
  if (text.length > characters) {
    return { problem: `is longer than ${characters.toLocaleString("en")} characters; RSA keys of ${inBits} are taken` };
  }
  const key = keyIn(text);
  if (!key) return { problem: notRsa };
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < leastBits || modulusLength > mostBits) {
    return { problem: `is an RSA key of ${modulusLength.toLocaleString("en")} bits; those of ${inBits} are taken` };
  }
  if (publicExponent >= exponentEnd) return { problem: "is an RSA key whose public exponent has more than 32 bits" };
  return { pem: key.export({ type: "pkcs8", format: "pem" }).toString() };
}

const block = /-----BEGIN (?:RSA )?PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END ((?:RSA )?)PRIVATE KEY-----/;

/** Undefined for what is none. */
function keyIn(text: string): KeyObject | undefined {
  const [, base64 = "", rsa] = block.exec(text) ?? [];
  const der = Buffer.from(base64, "base64");
  const type = rsa === "" ? "pkcs8" : "pkcs1";
  if (type === "pkcs8" && !isRsa(der)) return undefined;
  try {
    return createPrivateKey({ key: der, format: "der", type });
  } catch {
    return undefined;
  }
}

/** Version 0 and the algorithm rsaEncryption. */
const rsaInfo = Buffer.from("020100300d06092a864886f70d0101010500", "hex");

/** Of PKCS #8. Keys of other algorithms are not even read: for one of DSA OpenSSL computes its public part while it does, of any size. */
function isRsa(der: Buffer): boolean {
  const [, length = 0] = der;
  const begin = length < 0x80 ? 2 : 2 + (length & 0x7f);
  return der.subarray(begin, begin + rsaInfo.length).equals(rsaInfo);
}
