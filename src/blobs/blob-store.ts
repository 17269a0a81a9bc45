import type { Readable } from "node:stream";

/**
 * Storage for session data that is too large for etcd. The first segment of each key is the UID of its session, so that
 * all data of a session can be deleted. {@link isBlobKey} defines keys; no key may be the parent of another one (`a/b` and
 * `a/b/c`).
 *
 * After `put` has resolved, all readers see the whole blob. After it has rejected, the blob may still be stored, even later
 * and over a newer blob, as a server may carry out a request that timed out. So to put different contents at one key, put
 * each {@link PutOptions.once | once}, and none after a put that failed. Methods reject with {@link BlobKeyError},
 * {@link BlobTooLargeError} or the storage's own error, which may be temporary.
 */
export interface BlobStore {
  /** Stores a blob and replaces the one of this key. Streams are never held in memory as a whole. */
  put(key: string, content: BlobContent, options?: PutOptions): Promise<void>;
  /** The blob, or undefined when there is none. The caller must read its content to the end or destroy it. */
  get(key: string, signal?: AbortSignal): Promise<StoredBlob | undefined>;
  /** All blobs whose key begins with `prefix`, which ends with a slash, in the order of their keys. */
  list(prefix: string, options?: ListOptions): AsyncIterable<BlobEntry>;
  /** The first segments of all keys, in order; what is no key, such as a volume's own lost+found, is passed over. */
  owners(): AsyncIterable<string>;
  /** Deletes one blob; there may be none. */
  delete(key: string): Promise<void>;
  /** Deletes all blobs whose key begins with `prefix`, which ends with a slash; there may be none. */
  deleteAll(prefix: string): Promise<void>;
  /** Size of what the blobs lie on; left out by stores that have none. */
  space?(): Promise<StoreSpace>;
}

export type BlobContent = Uint8Array | AsyncIterable<Uint8Array>;

export interface PutOptions {
  /** Bytes of the largest accepted content. */
  maxBytes?: number;
  /** Never retries, so that no request is under way after the promise has settled. */
  once?: boolean;
  signal?: AbortSignal;
}

/** In bytes. */
export interface StoreSpace {
  bytes: number;
  freeBytes: number;
}

export interface ListOptions {
  /** Only keys after this one are listed. */
  after?: string;
  /** Page size, for callers that are likely to read no more than this many. */
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

/** The content has more bytes than the caller allows; nothing was stored. */
export class BlobTooLargeError extends Error {
  override readonly name = "BlobTooLargeError";

  constructor(maxBytes: number) {
    super(`the content has more than ${maxBytes} bytes`);
  }
}

/** A programming error: a malformed key or prefix. */
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

/** Whether a key can begin with this segment. */
export function isOwnerSegment(name: string): boolean {
  return prefixPattern.test(`${name}/`);
}

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
