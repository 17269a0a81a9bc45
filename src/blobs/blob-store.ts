import type { Readable } from "node:stream";

/**
 * Large or many things of sessions that have no place in etcd. The first segment of each key is the UID of the session
 * that it belongs to, so that everything of a session can be deleted. See {@link isBlobKey} for what a key may be; no key
 * may lie below another one (`a/b` and `a/b/c`).
 *
 * What was put is there for every reader from the moment the promise resolves, whole or not at all. What was not put may
 * be stored all the same, also later, and then in the place of what was put there meanwhile: a server carries out what
 * timed out. So whoever puts different contents at one key must put each of them {@link PutOptions.once | once} and
 * none after one that failed. Methods reject with
 * {@link BlobKeyError}, {@link BlobTooLargeError} or the storage's own error, which may pass by itself.
 */
export interface BlobStore {
  /** Stores a blob, in the place of one that has the key. Streams are never held in memory as a whole. */
  put(key: string, content: BlobContent, options?: PutOptions): Promise<void>;
  /** The blob as it is now, or undefined when there is none. Who takes its content must read it to the end or destroy it. */
  get(key: string, signal?: AbortSignal): Promise<StoredBlob | undefined>;
  /** All blobs whose key begins with `prefix`, which ends with a slash, in the order of their keys; those after `after`. */
  list(prefix: string, options?: ListOptions): AsyncIterable<BlobEntry>;
  /** First segments of all keys, in order. */
  owners(): AsyncIterable<string>;
  /** Deletes all blobs whose key begins with `prefix`, which ends with a slash; none is no error. */
  deleteAll(prefix: string): Promise<void>;
}

export type BlobContent = Uint8Array | AsyncIterable<Uint8Array>;

export interface PutOptions {
  /** Bytes of the largest content that is taken. */
  maxBytes?: number;
  /** Never tries again by itself, so that nothing of it is under way when the promise resolves. */
  once?: boolean;
  signal?: AbortSignal;
}

export interface ListOptions {
  /** A key; only those after it are given. */
  after?: string;
  /** How many are asked for at once, where no more than those are likely to be looked at. */
  atOnce?: number;
  signal?: AbortSignal;
}

export interface StoredBlob {
  /** Bytes. */
  size: number;
  content: Readable;
}

export interface BlobEntry {
  key: string;
  /** Bytes. */
  size: number;
  modifiedAt: Date;
}

/** The content has more bytes than the caller admits; nothing was stored. */
export class BlobTooLargeError extends Error {
  override readonly name = "BlobTooLargeError";

  constructor(maxBytes: number) {
    super(`the content has more than ${maxBytes} bytes`);
  }
}

/** A programming error: the key or prefix cannot be one. */
export class BlobKeyError extends Error {
  override readonly name = "BlobKeyError";

  constructor(key: string) {
    super(`${JSON.stringify(key.slice(0, 64))} cannot be a blob's key`);
  }
}

/** Bytes of the longest key. */
export const longestKey = 512;

const segment = "[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}";
const keyPattern = new RegExp(`^${segment}(/${segment}){1,7}$`);
const prefixPattern = new RegExp(`^(${segment}/){1,7}$`);

/** Two to eight segments of 1 to 128 letters, digits, `.`, `_` and `-`, none beginning with a dot; 512 bytes in all. */
export function isBlobKey(key: string): boolean {
  return key.length <= longestKey && keyPattern.test(key);
}

/** @throws BlobKeyError */
export function requireKey(key: string): void {
  if (!isBlobKey(key)) throw new BlobKeyError(key);
}

/** @throws BlobKeyError */
export function requirePrefix(prefix: string): void {
  if (prefix.length > longestKey || !prefixPattern.test(prefix)) throw new BlobKeyError(prefix);
}
