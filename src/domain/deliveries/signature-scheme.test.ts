import { Buffer } from "node:buffer";

import { describe, expect, it } from "vitest";

import { makeSigningSecret, signatureScheme, signingKey } from "./signature-scheme.ts";
import { signingSecretProblem } from "./signing-secret-problem.ts";

const text = signatureScheme({ preset: "github" });
const encoded = signatureScheme({ preset: "standard-webhooks" });
const bytes = (length: number): Buffer => Buffer.alloc(length, 0xfb);

describe("a scheme", () => {
  it("of GitHub is what GitHub documents", () => {
    expect(text).toMatchObject({
      ...{ header: "x-hub-signature-256", algorithm: "sha256", encoding: "hex", prefix: "sha256=" },
      ...{ between: undefined, signedHeaders: [], timestamp: undefined },
    });
  });

  it("of Standard Webhooks is that of the specification, with a tolerance of its own where one is set", () => {
    const timestamp = { header: "webhook-timestamp", toleranceSeconds: 300 };
    expect(encoded).toMatchObject({
      ...{ header: "webhook-signature", algorithm: "sha256", encoding: "base64", prefix: "v1,", between: /,? +/ },
      ...{ signedHeaders: ["webhook-id", "webhook-timestamp"], separator: ".", timestamp },
    });
    expect(signatureScheme({ preset: "standard-webhooks", toleranceSeconds: 60 }).timestamp?.toleranceSeconds).toBe(60);
  });

  it("of one's own has defaults, and names of headers in lower case", () => {
    expect(signatureScheme({ header: "X-My-Signature" })).toEqual({
      ...{ header: "x-my-signature", algorithm: "sha256", encoding: "hex", prefix: "", between: undefined },
      ...{ signedHeaders: [], separator: ":", timestamp: undefined, hasEncodedSecret: false },
    });
    const own = {
      header: "X-S",
      algorithm: "SHA512",
      encoding: "Base64",
      prefix: "v0=",
      timestampHeader: "X-Time",
    } as const;
    expect(signatureScheme({ ...own, timestampSeparator: "." })).toMatchObject({
      ...{ algorithm: "sha512", encoding: "base64", prefix: "v0=", signedHeaders: ["x-time"], separator: "." },
      timestamp: { header: "x-time", toleranceSeconds: 300 },
    });
  });
});

describe("a secret", () => {
  it.each([
    { name: "15 characters", secret: "s".repeat(15), scheme: text, ok: false },
    { name: "16 characters", secret: "s".repeat(16), scheme: text, ok: true },
    { name: "256 characters", secret: "s".repeat(256), scheme: text, ok: true },
    { name: "257 characters", secret: "s".repeat(257), scheme: text, ok: false },
    { name: "a blank in it", secret: `${"s".repeat(20)} s`, scheme: text, ok: false },
    { name: "a letter beyond ASCII", secret: `${"s".repeat(20)}é`, scheme: text, ok: false },
    { name: "23 encoded bytes", secret: `whsec_${bytes(23).toString("base64")}`, scheme: encoded, ok: false },
    { name: "24 encoded bytes", secret: `whsec_${bytes(24).toString("base64")}`, scheme: encoded, ok: true },
    { name: "64 encoded bytes", secret: `whsec_${bytes(64).toString("base64")}`, scheme: encoded, ok: true },
    { name: "65 encoded bytes", secret: `whsec_${bytes(65).toString("base64")}`, scheme: encoded, ok: false },
    { name: "no prefix", secret: bytes(32).toString("base64"), scheme: encoded, ok: false },
    { name: "another alphabet", secret: `whsec_${bytes(33).toString("base64url")}`, scheme: encoded, ok: false },
    { name: "nothing but prefix and junk", secret: `whsec_${"*".repeat(40)}`, scheme: encoded, ok: false },
  ])("with $name: $ok", ({ secret, scheme, ok }) => {
    const problem = signingSecretProblem(secret, scheme);
    expect(problem === undefined).toBe(ok);
    if (problem !== undefined) expect(problem).not.toContain(secret);
  });

  it.each([text, encoded])("that is made can be one, and signs with as many bits as were drawn", (scheme) => {
    const secret = makeSigningSecret(scheme, bytes(32));
    expect(signingSecretProblem(secret, scheme)).toBeUndefined();
    expect(signingKey(secret, scheme).length).toBe(scheme.hasEncodedSecret ? 32 : 43);
  });
});
