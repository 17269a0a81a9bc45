import { sign } from "node:crypto";
import { readPrivateKey } from "../../lib/ssh-key.ts";

/**
 * The part of the SSH agent protocol (draft-ietf-sshm-ssh-agent) that logins need: listing the key and signing with it.
 * No request adds, removes or reads a private key, and only login requests are signed.
 */

const types = { failure: 5, listKeys: 11, keys: 12, signRequest: 13, signature: 14, extension: 27 } as const;
/** Flags of a signature request that choose the hash of an RSA signature. */
const rsaFlags = { sha256: 2, sha512: 4 } as const;
/** SSH_MSG_USERAUTH_REQUEST of RFC 4252. */
const loginMessage = 50;

export interface SigningKey {
  type: string;
  /** As in authorized_keys, decoded. */
  publicBlob: Buffer;
  privatePem: string;
}

/** @throws Error for a text that is no private key; the message does not quote it */
export function readSigningKey(text: string): SigningKey {
  const key = readPrivateKey(text);
  if (typeof key === "string") throw new Error("not a private key");
  return { type: key.type, publicBlob: key.getPublicSSH(), privatePem: key.getPrivatePEM() };
}

/** The answer to one message; both without their length prefix. */
export function answerAgent(key: SigningKey, message: Buffer): Buffer {
  if (message[0] === types.listKeys) {
    return Buffer.concat([
      Buffer.of(types.keys),
      uint32(1),
      lengthPrefixed(key.publicBlob),
      lengthPrefixed(Buffer.alloc(0)),
    ]);
  }
  const signature = message[0] === types.signRequest ? signatureOf(key, message.subarray(1)) : undefined;
  return signature ? Buffer.concat([Buffer.of(types.signature), lengthPrefixed(signature)]) : Buffer.of(types.failure);
}

/** Whether a request was refused that no login makes; ssh tries extensions before it. */
export function isMisuse(message: Buffer, answer: Buffer): boolean {
  return answer[0] === types.failure && message[0] !== types.extension;
}

function signatureOf(key: SigningKey, request: Buffer): Buffer | undefined {
  const blob = stringAt(request, 0);
  const data = blob && stringAt(request, 4 + blob.length);
  if (!data?.length || !blob?.equals(key.publicBlob) || !isLogin(data)) return undefined;
  const flagsAt = 8 + blob.length + data.length;
  if (request.length < flagsAt + 4) return undefined;
  return encodedSignature(key, data, request.readUInt32BE(flagsAt));
}

/** Whether the data are a login by public key: the session identifier, then SSH_MSG_USERAUTH_REQUEST. */
function isLogin(data: Buffer): boolean {
  const identifier = stringAt(data, 0);
  return identifier !== undefined && data[4 + identifier.length] === loginMessage;
}

function encodedSignature({ type, privatePem }: SigningKey, data: Buffer, flags: number): Buffer | undefined {
  if (type === "ssh-ed25519") return named(type, sign(null, data, privatePem));
  if (type === "ssh-rsa") {
    const hash = flags & rsaFlags.sha512 ? "sha512" : "sha256";
    // Without a flag the request asks for SHA-1, which servers no longer accept.
    if (!(flags & (rsaFlags.sha256 | rsaFlags.sha512))) return undefined;
    return named(`rsa-sha2-${hash.slice(3)}`, sign(hash, data, privatePem));
  }
  const curve = /^ecdsa-sha2-nistp(256|384|521)$/.exec(type)?.[1];
  if (curve === undefined) return undefined;
  const hash = curve === "521" ? "sha512" : `sha${curve}`;
  const both = sign(hash, data, { key: privatePem, dsaEncoding: "ieee-p1363" });
  const half = both.length / 2;
  return named(type, Buffer.concat([integer(both.subarray(0, half)), integer(both.subarray(half))]));
}

function named(algorithm: string, signature: Buffer): Buffer {
  return Buffer.concat([lengthPrefixed(Buffer.from(algorithm)), lengthPrefixed(signature)]);
}

/** `mpint` of RFC 4251: no leading zeros, but for one where the first bit is set. */
function integer(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const short = bytes.subarray(first < 0 ? bytes.length : first);
  return lengthPrefixed((short[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.of(0), short]) : short);
}

/** `string` of RFC 4251, and a message of the agent protocol. */
export function lengthPrefixed(bytes: Buffer): Buffer {
  return Buffer.concat([uint32(bytes.length), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function stringAt(bytes: Buffer, at: number): Buffer | undefined {
  if (bytes.length < at + 4) return undefined;
  const end = at + 4 + bytes.readUInt32BE(at);
  return end <= bytes.length ? bytes.subarray(at + 4, end) : undefined;
}
