import { createHmac } from "node:crypto";

import { describe, expect, it } from "vitest";

import { isSigned, type Signed } from "./signature.ts";

const secret = "s".repeat(32);
const sign = (bytes: string | Uint8Array, by = secret): string => createHmac("sha256", by).update(bytes).digest("hex");
const body = Buffer.from('{"a":1}');
const scheme = { algorithm: "sha256", encoding: "hex" } as const;
const signed = (signature: string, parts: Signed["parts"] = [body]): Signed => ({ scheme, signature, parts });

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

it("without a secret nothing is signed", () => {
  expect(isSigned(signed(sign(body, "")), [])).toBe(false);
});

describe.each(["sha1", "sha256", "sha512"] as const)("with %s", (algorithm) => {
  it.each(["hex", "base64"] as const)("in %s", (encoding) => {
    const digest = createHmac(algorithm, secret).update(body).digest(encoding);
    const isOurs = (signature: string): boolean =>
      isSigned({ scheme: { algorithm, encoding }, signature, parts: [body] }, [secret]);
    expect(isOurs(digest)).toBe(true);
    expect(isOurs(digest.slice(0, -4))).toBe(false);
    expect(isOurs(`${digest}AAAA`)).toBe(false);
    expect(isOurs(createHmac(algorithm, "other").update(body).digest(encoding))).toBe(false);
    // Node reads what it can of these.
    expect(isOurs(`${digest}*`)).toBe(false);
    expect(isOurs(encoding === "hex" ? digest.replace(/^../, "$& ") : digest.replace(/^../, "$&\n"))).toBe(false);
  });
});
