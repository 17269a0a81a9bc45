import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * Whether one of the secrets has signed these bytes: `signature` is the HMAC-SHA256 in hexadecimal, in any case. Bytes that
 * are not UTF-8 can be signed, too. The comparison takes constant time.
 */
export function isSigned(bytes: Uint8Array, signature: string, secrets: readonly string[]): boolean {
  if (!/^[0-9a-f]{64}$/i.test(signature)) return false;
  const sent = Buffer.from(signature, "hex");
  return secrets.some((secret) => timingSafeEqual(createHmac("sha256", secret).update(bytes).digest(), sent));
}
