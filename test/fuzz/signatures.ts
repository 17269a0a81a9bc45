import { createHmac } from "node:crypto";

import fc from "fast-check";

import type { HmacAuthentication } from "../../src/api/v1alpha1/index.ts";
import { idempotencyKeyReader } from "../../src/domain/deliveries/idempotency-key.ts";
import { Refusal } from "../../src/domain/deliveries/refusal.ts";
import { signatureScheme } from "../../src/domain/deliveries/signature-scheme.ts";
import { requireProof } from "../../src/ingress/credentials.ts";
import { type NamedProperty, outcomeOf } from "./property.ts";

const secret = "0123456789abcdef0123456789abcdef";
const receivedAt = new Date("2026-05-04T10:15:00.000Z");
const isUnproved = (error: unknown): boolean =>
  error instanceof Refusal && (error.code === "MissingKey" || error.code === "WrongKey");

const printable = fc.string({ unit: "binary-ascii", maxLength: 8 }).filter((text) => /^[ -~]*$/.test(text));
const schemes = fc.record<HmacAuthentication>({
  header: fc.constant("x-signature"),
  algorithm: fc.constantFrom("SHA1", "SHA256", "SHA512"),
  encoding: fc.constantFrom("Hex", "Base64"),
  prefix: printable,
});
/** A header's text as a parser of HTTP lets it through, or long runs of what an encoding is made of. */
const headerText = fc.oneof(
  fc.string({ unit: "binary-ascii", maxLength: 200 }),
  fc
    .tuple(fc.constantFrom("a", "A=", "v1,", " ", "=", "/+"), fc.nat(16_000))
    .map(([part, count]) => part.repeat(count)),
);

function isTaken(hmac: HmacAuthentication, header: string, body: Buffer): boolean {
  const authentication = { type: "HMAC" as const, scheme: signatureScheme(hmac) };
  const endpoint = { authentication, keyHash: undefined, signingSecrets: [secret] };
  const request = { headers: { "x-signature": header, "webhook-signature": header }, body, receivedAt };
  return outcomeOf(() => requireProof(endpoint, request), isUnproved) !== "refused";
}

export const signatureProperties: readonly NamedProperty[] = [
  {
    name: "a signature is taken, and no other text that is not the same",
    property: fc.property(schemes, fc.uint8Array({ maxLength: 300 }), headerText, (hmac, bytes, other) => {
      const body = Buffer.from(bytes);
      const { algorithm, encoding, prefix } = signatureScheme(hmac);
      const right = prefix + createHmac(algorithm, secret).update(body).digest(encoding);
      return isTaken(hmac, right, body) && (other === right || !isTaken(hmac, other, body));
    }),
  },
  {
    name: "any list of signatures is refused, and soon",
    property: fc.property(headerText, (text) => !isTaken({ preset: "standard-webhooks" }, text, Buffer.from("{}"))),
  },
  {
    name: "no two lists of parts give one key of an event",
    property: fc.property(
      fc.array(fc.string({ minLength: 1, maxLength: 9 }), { minLength: 2, maxLength: 4 }),
      fc.nat(),
      (parts, at) => {
        const read = idempotencyKeyReader({ paths: parts.map((_, index) => `$.p${index}`) });
        const keyOf = (list: readonly string[]): string | undefined =>
          read({ value: Object.fromEntries(list.map((part, index) => [`p${index}`, part])), headers: {} });
        // What one part ends with, the next one begins with: only where they are parted differs.
        const cut = at % (parts.length - 1);
        const [left = "", right = ""] = [parts[cut], parts[cut + 1]];
        const moved = parts.with(cut, left + right.slice(0, 1)).with(cut + 1, right.slice(1));
        return keyOf(parts) === JSON.stringify(parts) && keyOf(parts) !== keyOf(moved);
      },
    ),
  },
];
