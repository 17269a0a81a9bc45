import { createHmac } from "node:crypto";

import { describe, expect, it } from "vitest";

import { isSigned, type Signed } from "./signature.ts";

const secret = "s".repeat(32);
const sign = (bytes: string | Uint8Array, by = secret): string => createHmac("sha256", by).update(bytes).digest("hex");
const body = Buffer.from('{"a":1}');
const scheme = { algorithm: "sha256", encoding: "hex" } as const;
const signed = (signature: string, parts: Signed["parts"] = [body]): Signed => ({
  scheme,
  signatures: [signature],
  parts,
});

it.each([
  ["by the secret", sign(body), true],
  ["in upper case", sign(body).toUpperCase(), true],
  ["by the second secret", sign(body, "other"), true],
  ["by neither", sign(body, "third"), false],
  ["of other bytes", sign('{"a": 1}'), false],
  ["cut", sign(body).slice(2), false],
  ["cut in the middle of a byte", sign(body).slice(1), false],
  ["one digit longer", `${sign(body)}0`, false],
  ["one byte longer", `${sign(body)}00`, false],
  ["with a prefix", `sha256=${sign(body)}`, false],
  ["with a blank", ` ${sign(body)}`, false],
  ["empty", "", false],
  ["not hexadecimal", "z".repeat(64), false],
])("a signature %s", (_what, signature, want) => {
  expect(isSigned(signed(signature), [secret, "other"])).toBe(want);
});

it("matches a published vector (RFC 4231, case 2)", () => {
  const published = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
  expect(isSigned(signed(published, ["what do ya want for nothing?"]), ["Jefe"])).toBe(true);
});

it("is of bytes, not of text", () => {
  const bytes = Buffer.from([0xff, 0xfe, 0x00, 0x80]);
  expect(isSigned(signed(sign(bytes), [bytes]), [secret])).toBe(true);
  expect(isSigned(signed(sign(bytes), [bytes.toString()]), [secret])).toBe(false);
});

it("is of all parts in their order", () => {
  expect(isSigned(signed(sign("1:ab"), ["1:", Buffer.from("ab")]), [secret])).toBe(true);
  expect(isSigned(signed(sign("1:ab"), [Buffer.from("ab"), "1:"]), [secret])).toBe(false);
});

it.each([
  { name: "first", signatures: [sign(body), sign("other")], want: true },
  { name: "last", signatures: ["", "v1", sign("other"), sign(body)], want: true },
  { name: "nowhere", signatures: [sign("other"), sign(body).slice(2)], want: false },
  { name: "nowhere, as there is none", signatures: [], want: false },
])("of several signatures the right one is $name", ({ signatures, want }) => {
  expect(isSigned({ scheme, signatures, parts: [body] }, ["other", secret])).toBe(want);
});

it("hashes what was signed once for each key, whatever the number of signatures, and not for what can be no signature", () => {
  let read = 0;
  const parts: Signed["parts"] = Object.assign([body], {
    *[Symbol.iterator]() {
      read += 1;
      yield body;
    },
  });
  expect(isSigned({ scheme, signatures: ["", "zz", sign(body).slice(2)], parts }, [secret])).toBe(false);
  expect(read).toBe(0);
  expect(isSigned({ scheme, signatures: Array<string>(8).fill(sign("other")), parts }, [secret])).toBe(false);
  expect(read).toBe(1);
});

it("without a secret nothing is signed", () => {
  expect(isSigned(signed(sign(body, "")), [])).toBe(false);
});

it.each(["sha1", "sha256", "sha512"] as const)(
  "base64 of %s may be of either alphabet, with and without padding",
  (algorithm) => {
    // Of one of these bodies the digest has letters that differ.
    const bodies = Array.from({ length: 20 }, (_, index) => Buffer.from(`{"a":${index}}`));
    for (const one of bodies) {
      const digest = createHmac(algorithm, secret).update(one).digest("base64");
      const urlSafe = digest.replaceAll("+", "-").replaceAll("/", "_");
      const isOurs = (signature: string): boolean =>
        isSigned({ scheme: { algorithm, encoding: "base64" }, signatures: [signature], parts: [one] }, [secret]);
      expect([digest, urlSafe, digest.replace(/=+$/, ""), urlSafe.replace(/=+$/, "")].every(isOurs)).toBe(true);
      expect(isOurs(`${digest}===`)).toBe(false);
      expect(isOurs(digest.replace(/^../, "-+"))).toBe(false);
    }
  },
);

describe.each(["sha1", "sha256", "sha512"] as const)("with %s", (algorithm) => {
  it.each(["hex", "base64"] as const)("in %s", (encoding) => {
    const digest = createHmac(algorithm, secret).update(body).digest(encoding);
    const isOurs = (signature: string): boolean =>
      isSigned({ scheme: { algorithm, encoding }, signatures: [signature], parts: [body] }, [secret]);
    expect(isOurs(digest)).toBe(true);
    expect(isOurs(digest.slice(0, -4))).toBe(false);
    expect(isOurs(`${digest}AAAA`)).toBe(false);
    expect(isOurs(createHmac(algorithm, "other").update(body).digest(encoding))).toBe(false);
    // Node reads what it can of these.
    expect(isOurs(`${digest}*`)).toBe(false);
    expect(isOurs(encoding === "hex" ? digest.replace(/^../, "$& ") : digest.replace(/^../, "$&\n"))).toBe(false);
  });
});
