/** What an encoded secret begins with, by the specification of Standard Webhooks. */
export const encodedSecretPrefix = "whsec_";
/** Bytes of an encoded secret, by the same. */
const encodedSecretBytes = { min: 24, max: 64 };
const encoded = /^whsec_([A-Za-z0-9+/]+)={0,2}$/;

/** Why a text cannot be a signing secret, in words that do not repeat it; undefined for one that can. */
export function signingSecretProblem(secret: string, scheme?: { hasEncodedSecret: boolean }): string | undefined {
  if (!/^[\x21-\x7e]{16,256}$/.test(secret)) return "must be 16 to 256 printable ASCII characters without blanks";
  if (scheme?.hasEncodedSecret !== true) return undefined;
  const digits = encoded.exec(secret)?.[1] ?? "";
  const bytes = Math.floor((digits.length * 3) / 4);
  if (bytes >= encodedSecretBytes.min && bytes <= encodedSecretBytes.max) return undefined;
  return "must be whsec_ and 24 to 64 bytes in base64, as Standard Webhooks has it";
}
