import { generateKeyPairSync, type KeyObject, verify } from "node:crypto";
import { expect, it } from "vitest";
import { answerAgent, readSigningKey, type SigningKey } from "./agent-protocol.ts";

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const string = (bytes: Buffer | string): Buffer =>
  Buffer.concat([uint32(Buffer.byteLength(bytes)), Buffer.from(bytes)]);

/** The strings that follow one another. */
function strings(bytes: Buffer): Buffer[] {
  if (bytes.length === 0) return [];
  const end = 4 + bytes.readUInt32BE(0);
  return [bytes.subarray(4, end), ...strings(bytes.subarray(end))];
}

const login = Buffer.concat([string("the connection"), Buffer.of(50), string("git"), string("ssh-connection")]);
const ask = (key: SigningKey, data: Buffer, flags: number, blob = key.publicBlob): Buffer =>
  answerAgent(key, Buffer.concat([Buffer.of(13), string(blob), string(data), uint32(flags)]));
const failure = Buffer.of(5);

function aKey(pair: { privateKey: KeyObject; publicKey: KeyObject }): { key: SigningKey; publicKey: KeyObject } {
  const type = pair.privateKey.asymmetricKeyType === "rsa" ? "pkcs1" : "sec1";
  return { key: readSigningKey(pair.privateKey.export({ type, format: "pem" }).toString()), publicKey: pair.publicKey };
}

const rsa = aKey(generateKeyPairSync("rsa", { modulusLength: 2048 }));
const curve = aKey(generateKeyPairSync("ec", { namedCurve: "P-256" }));

it("names its key", () => {
  const answer = answerAgent(rsa.key, Buffer.of(11));
  expect(answer.subarray(0, 5)).toEqual(Buffer.of(12, 0, 0, 0, 1));
  expect(strings(answer.subarray(5))).toEqual([rsa.key.publicBlob, Buffer.alloc(0)]);
});

it.each([
  { flags: 2, algorithm: "rsa-sha2-256", hash: "sha256" },
  { flags: 4, algorithm: "rsa-sha2-512", hash: "sha512" },
  { flags: 6, algorithm: "rsa-sha2-512", hash: "sha512" },
])("signs a login with an RSA key as $algorithm for the flags $flags", ({ flags, algorithm, hash }) => {
  const answer = ask(rsa.key, login, flags);
  expect(answer[0]).toBe(14);
  const [name, signature] = strings(strings(answer.subarray(1))[0]!);
  expect(name?.toString()).toBe(algorithm);
  expect(verify(hash, login, rsa.publicKey, signature!)).toBe(true);
});

it("signs a login with an ECDSA key, whose two numbers are never negative", () => {
  for (let count = 0; count < 40; count += 1) {
    const [name, blob] = strings(strings(ask(curve.key, login, 0).subarray(1))[0]!);
    expect(name?.toString()).toBe("ecdsa-sha2-nistp256");
    const numbers = strings(blob!);
    expect(numbers.every((number) => (number[0] ?? 0) < 0x80)).toBe(true);
    const fixed = numbers.map((number) => Buffer.concat([Buffer.alloc(32), number]).subarray(-32));
    const key = { key: curve.publicKey, dsaEncoding: "ieee-p1363" as const };
    expect(verify("sha256", login, key, Buffer.concat(fixed))).toBe(true);
  }
});

it.each([
  ["what is no login, such as a commit", ask(rsa.key, Buffer.concat([Buffer.from("SSHSIG"), string("git")]), 4)],
  ["another message of the connection", ask(rsa.key, Buffer.concat([string("the connection"), Buffer.of(49)]), 4)],
  ["with a key that it has not", ask(rsa.key, login, 4, curve.key.publicBlob)],
  ["with SHA-1", ask(rsa.key, login, 0)],
  ["nothing", ask(rsa.key, Buffer.alloc(0), 4)],
  ["a request that is cut off", answerAgent(rsa.key, Buffer.of(13, 0, 0, 1))],
  ["without flags", answerAgent(rsa.key, Buffer.concat([Buffer.of(13), string(rsa.key.publicBlob), string(login)]))],
])("signs not %s", (_name, answer) => {
  expect(answer).toEqual(failure);
});

it.each([
  ["to take a key in", 17],
  ["to forget all keys", 19],
  ["to be locked", 22],
  ["for an extension", 27],
])("says no when it is asked %s", (_name, type) => {
  expect(answerAgent(rsa.key, Buffer.concat([Buffer.of(type), string("x")]))).toEqual(failure);
});

it("reads no key from what is none, and does not say what it read", () => {
  expect(() => readSigningKey("planted")).toThrow(/^not a private key$/);
});
