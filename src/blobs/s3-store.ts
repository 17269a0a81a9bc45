import { Readable } from "node:stream";
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import type { Clock } from "../lib/clock.ts";
import {
  type BlobContent,
  type BlobEntry,
  type BlobStore,
  BlobTooLargeError,
  isOwnerSegment,
  type ListOptions,
  type PutOptions,
  requireKey,
  requirePrefix,
  type StoredBlob,
} from "./blob-store.ts";
import { boundedContent } from "./content.ts";

export interface S3Options {
  bucket: string;
  /** Prefix of all keys: empty, or ends with a slash. */
  prefix: string;
  region: string;
  /** URL of a server other than Amazon's. */
  endpoint?: string | undefined;
  /** Whether URLs have the bucket in their path rather than in their host. */
  forcePathStyle: boolean;
}

/** Milliseconds. */
const timeouts = { connectionTimeout: 5_000, requestTimeout: 30_000, throwOnRequestTimeout: true };
/** Concurrent requests. */
const mostSockets = 64;
/** Bytes of one part of an upload, which is held in memory; a blob has at most 10,000 parts. */
const partBytes = 8 * 1024 * 1024;

/** Blobs as objects of an S3 bucket. The AWS SDK finds the credentials, first in the environment. */
export class S3Store implements BlobStore {
  readonly #client: S3Client;
  /** Sends each request once. */
  readonly #onceClient: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #clock: Pick<Clock, "now">;

  constructor({ bucket, prefix, region, endpoint, forcePathStyle }: S3Options, clock: Pick<Clock, "now">) {
    this.#bucket = bucket;
    this.#prefix = prefix;
    this.#clock = clock;
    const agent = { maxSockets: mostSockets, keepAlive: true };
    const config = {
      region,
      forcePathStyle,
      ...(endpoint === undefined ? {} : { endpoint }),
      // Archives have digests of their own: a damaged one must not look like a server that is away, which is asked again.
      responseChecksumValidation: "WHEN_REQUIRED" as const,
    };
    this.#client = new S3Client({ ...config, requestHandler: { ...timeouts, httpAgent: agent, httpsAgent: agent } });
    const { requestHandler, credentials } = this.#client.config;
    this.#onceClient = new S3Client({ ...config, requestHandler, credentials, maxAttempts: 1 });
  }

  /** Lists one key to test the settings. Rejects with the server's error. */
  async check(signal: AbortSignal): Promise<void> {
    const command = new ListObjectsV2Command({ Bucket: this.#bucket, Prefix: this.#prefix, MaxKeys: 1 });
    await this.#client.send(command, until(signal));
  }

  async put(key: string, content: BlobContent, options: PutOptions = {}): Promise<void> {
    const { maxBytes = Infinity, once = false, signal } = options;
    const client = once ? this.#onceClient : this.#client;
    requireKey(key);
    const place = { Bucket: this.#bucket, Key: this.#prefix + key };
    if (content instanceof Uint8Array) {
      if (content.length > maxBytes) throw new BlobTooLargeError(maxBytes);
      await client.send(new PutObjectCommand({ ...place, Body: content }), until(signal));
      return;
    }
    const params = { ...place, Body: Readable.from(boundedContent(content, maxBytes)) };
    const upload = new Upload({ client, params, partSize: partBytes, queueSize: 1 });
    const abort = (): void => void upload.abort();
    signal?.addEventListener("abort", abort, { once: true });
    try {
      signal?.throwIfAborted();
      await upload.done();
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  async get(key: string, signal?: AbortSignal): Promise<StoredBlob | undefined> {
    requireKey(key);
    try {
      const command = new GetObjectCommand({ Bucket: this.#bucket, Key: this.#prefix + key });
      const { Body, ContentLength = 0 } = await this.#client.send(command, until(signal));
      return Body instanceof Readable ? { size: ContentLength, content: Body } : undefined;
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }

  async *list(prefix: string, { after, atOnce, signal }: ListOptions = {}): AsyncGenerator<BlobEntry> {
    requirePrefix(prefix);
    const command = {
      Bucket: this.#bucket,
      Prefix: this.#prefix + prefix,
      MaxKeys: atOnce,
      ...(after === undefined ? {} : { StartAfter: this.#prefix + after }),
    };
    for await (const { Contents = [] } of paginateListObjectsV2({ client: this.#client }, command)) {
      signal?.throwIfAborted();
      for (const { Key = "", Size = 0, LastModified = this.#clock.now() } of Contents) {
        yield { key: Key.slice(this.#prefix.length), size: Size, modifiedAt: LastModified };
      }
    }
  }

  async *owners(): AsyncGenerator<string> {
    const command = { Bucket: this.#bucket, Prefix: this.#prefix, Delimiter: "/" };
    for await (const { CommonPrefixes = [] } of paginateListObjectsV2({ client: this.#client }, command)) {
      const names = CommonPrefixes.map(({ Prefix = "" }) => Prefix.slice(this.#prefix.length, -1));
      yield* names.filter(isOwnerSegment);
    }
  }

  async delete(key: string): Promise<void> {
    requireKey(key);
    await this.#deleteObjects([{ Key: this.#prefix + key }]);
  }

  async deleteAll(prefix: string): Promise<void> {
    requirePrefix(prefix);
    const command = { Bucket: this.#bucket, Prefix: this.#prefix + prefix };
    for await (const { Contents = [] } of paginateListObjectsV2({ client: this.#client }, command)) {
      if (Contents.length > 0) await this.#deleteObjects(Contents.map(({ Key }) => ({ Key })));
    }
  }

  async #deleteObjects(objects: { Key: string | undefined }[]): Promise<void> {
    const command = new DeleteObjectsCommand({ Bucket: this.#bucket, Delete: { Objects: objects, Quiet: true } });
    const { Errors = [] } = await this.#client.send(command);
    if (Errors[0]) throw new Error(`${Errors.length} objects could not be deleted: ${Errors[0].Code ?? "unknown"}`);
  }
}

function until(signal: AbortSignal | undefined): { abortSignal?: AbortSignal } {
  return signal ? { abortSignal: signal } : {};
}
