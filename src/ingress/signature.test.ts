import { createHmac } from "node:crypto";

import { expect, it } from "vitest";

import { isSigned } from "./signature.ts";

const secret = "s".repeat(32);
const sign = (bytes: string | Uint8Array, by = secret): string => createHmac("sha256", by).update(bytes).digest("hex");
const body = Buffer.from('{"a":1}');

it.each([
  ["by the secret", sign(body), true],
  ["in upper case", sign(body).toUpperCase(), true],
  ["by the second secret", sign(body, "other"), true],
  ["by neither", sign(body, "third"), false],
  ["of other bytes", sign('{"a": 1}'), false],
  ["cut", sign(body).slice(2), false],
  ["one digit longer", `${sign(body)}0`, false],
  ["with a prefix", `sha256=${sign(body)}`, false],
  ["with a blank", ` ${sign(body)}`, false],
  ["empty", "", false],
  ["not hexadecimal", "z".repeat(64), false],
])("a signature %s", (_what, signature, want) => {
  expect(isSigned(body, signature, [secret, "other"])).toBe(want);
});

it("matches a published vector (RFC 4231, case 2)", () => {
  const published = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
  expect(isSigned(Buffer.from("what do ya want for nothing?"), published, ["Jefe"])).toBe(true);
});

it("is of bytes, not of text", () => {
  const bytes = Buffer.from([0xff, 0xfe, 0x00, 0x80]);
  expect(isSigned(bytes, sign(bytes), [secret])).toBe(true);
  expect(isSigned(Buffer.from(bytes.toString()), sign(bytes), [secret])).toBe(false);
});

it("without a secret nothing is signed", () => {
  expect(isSigned(body, sign(body, ""), [])).toBe(false);
});
