import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

import { expect, it } from "vitest";

import { readRsaKey } from "./rsa-key.ts";

const made = (modulusLength: number, publicExponent = 65_537): KeyObject =>
  generateKeyPairSync("rsa", { modulusLength, publicExponent }).privateKey;
const written = (key: KeyObject, type: "pkcs1" | "pkcs8" = "pkcs1"): string =>
  key.export({ type, format: "pem" }).toString();

const usual = made(2_048);

function length(bytes: number): Buffer {
  if (bytes < 0x80) return Buffer.from([bytes]);
  return Buffer.from([0x82, bytes >> 8, bytes & 0xff]);
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), length(content.length), content]);
}

const integer = (bytes: Buffer): Buffer => der(2, Buffer.from([0]), bytes);
const inPem = (content: Buffer, label = "PRIVATE KEY"): string =>
  `-----BEGIN ${label}-----\n${content.toString("base64").replaceAll(/.{64}/g, "$&\n")}\n-----END ${label}-----\n`;

/** A key with a modulus of so many bits, which nobody looked for primes for. */
function ofBits(bits: number, exponent = Buffer.from([1, 0, 1])): string {
  const modulus = Buffer.alloc(bits / 8, 0xff);
  const half = Buffer.alloc(bits / 16, 0xff);
  const numbers = [modulus, exponent, modulus, half, half, half, half, half].map(integer);
  return inPem(der(0x30, der(2, Buffer.from([0])), ...numbers), "RSA PRIVATE KEY");
}

/** A key of DSA, whose public part OpenSSL computes while it reads it, in a time that grows with the cube of its size. */
function ofDsa(bits: number): string {
  const number = integer(Buffer.alloc(bits / 8, 0xff));
  const algorithm = der(0x30, Buffer.from("06072a8648ce380401", "hex"), der(0x30, number, number, number));
  return inPem(der(0x30, der(2, Buffer.from([0])), algorithm, der(4, number)));
}

it.each([
  { name: "as GitHub gives it out", text: written(usual) },
  { name: "of PKCS #8", text: written(usual, "pkcs8") },
  { name: "with words around it", text: `Bag Attributes\n${written(usual)}\n# end\n` },
  { name: "with \\r\\n", text: written(usual).replaceAll("\n", "\r\n") },
  { name: "whose public exponent is 3", text: written(made(2_048, 3)) },
  { name: "whose public exponent is the largest of 32 bits", text: ofBits(2_048, Buffer.alloc(4, 0xff)) },
  { name: "of 16,384 characters", text: written(usual).padEnd(16_384, "\n") },
])("takes a key $name, as PKCS #8", ({ text }) => {
  const read = readRsaKey(text);
  expect("pem" in read && createPrivateKey(read.pem).asymmetricKeyType).toBe("rsa");
  expect("pem" in read && read.pem).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
});

it("gives the key that it was given", () => {
  const read = readRsaKey(written(usual));
  const text = Buffer.from("a");
  expect("pem" in read && sign("sha256", text, read.pem)).toEqual(sign("sha256", text, usual));
});

it.each([
  { bits: 2_047 - 7, want: "is an RSA key of 2,040 bits; those of 2,048 to 8,192 bits are taken" },
  { bits: 2_048, want: "taken" },
  { bits: 4_096, want: "taken" },
  { bits: 8_192, want: "taken" },
  { bits: 8_208, want: "is an RSA key of 8,208 bits; those of 2,048 to 8,192 bits are taken" },
  { bits: 16_896, want: "is an RSA key of 16,896 bits; those of 2,048 to 8,192 bits are taken" },
  {
    bits: 65_536,
    want: "is longer than 16,384 characters; RSA keys of 2,048 to 8,192 bits are taken",
  },
])("a key of $bits bits: $want", ({ bits, want }) => {
  const read = readRsaKey(ofBits(bits));
  expect("problem" in read ? read.problem : "taken").toBe(want);
});

it.each([
  { name: "nothing", text: "" },
  { name: "another text", text: "planted" },
  {
    name: "a public key",
    text: usual.export({ type: "pkcs1", format: "pem" }).toString().replaceAll("PRIVATE", "PUBLIC"),
  },
  { name: "a curve's", text: written(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey, "pkcs8") },
  {
    name: "one for RSA-PSS alone",
    text: written(generateKeyPairSync("rsa-pss", { modulusLength: 2_048 }).privateKey, "pkcs8"),
  },
  { name: "one of DSA", text: ofDsa(1_024) },
  { name: "a cut one", text: written(usual).replace(/\n[^\n]+\n-----END/, "\n-----END") },
  {
    name: "an encrypted one",
    text: usual.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "a" }).toString(),
  },
])("$name is no private RSA key", ({ text }) => {
  expect(readRsaKey(text)).toEqual({ problem: "is no private RSA key in PEM form" });
});

it.each([
  { name: "17 thousand characters", text: written(usual).padEnd(16_385, "\n"), want: /longer than 16,384 characters/ },
  { name: "an exponent of 33 bits", text: ofBits(2_048, Buffer.from([1, 0, 0, 0, 1])), want: /more than 32 bits/ },
])("refuses a key of $name", ({ text, want }) => {
  const read = readRsaKey(text);
  expect("problem" in read && read.problem).toMatch(want);
});

it("does not compute with a key of DSA, which would take seconds for this one", () => {
  expect(readRsaKey(ofDsa(16_384))).toEqual({ problem: expect.stringMatching(/longer|RSA/) as string });
  expect(readRsaKey(ofDsa(8_192))).toEqual({ problem: "is no private RSA key in PEM form" });
});
