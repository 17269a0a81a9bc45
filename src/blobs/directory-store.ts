import type { Dirent } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat, statfs, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import {
  type BlobContent,
  type BlobEntry,
  type BlobStore,
  isOwnerSegment,
  type ListOptions,
  type PutOptions,
  requireKey,
  requirePrefix,
  type StoredBlob,
  type StoreSpace,
} from "./blob-store.ts";
import { boundedContent } from "./content.ts";

/** No valid segment of a key, so that no blob can lie there. */
const unfinishedFolder = ".unfinished";
/** Bytes of one read of a blob. */
const readBytes = 262_144;
/** Age at which an unfinished file counts as left behind by a crash, in milliseconds. */
const abandonedMs = 3_600_000;

interface Deps {
  clock: Pick<Clock, "now">;
  random: Pick<Random, "uuid">;
}

/**
 * Blobs as files below a directory, which several processes may share. A blob is written to a temporary file, synced and
 * renamed, so that a crash leaves no partial blob.
 */
export class DirectoryStore implements BlobStore {
  readonly #directory: string;

  readonly #random: Deps["random"];

  private constructor(directory: string, random: Deps["random"]) {
    this.#directory = directory;
    this.#random = random;
  }

  /** Removes files that crashes have left. Rejects when the directory cannot be written. */
  static async open(directory: string, { clock, random }: Deps): Promise<DirectoryStore> {
    const unfinished = join(directory, unfinishedFolder);
    await mkdir(unfinished, { recursive: true });
    const probe = join(unfinished, random.uuid());
    await writeFile(probe, "");
    await rm(probe);
    const abandonedBefore = clock.now().getTime() - abandonedMs;
    for (const name of await readdir(unfinished)) {
      const path = join(unfinished, name);
      const found = await ifThere(stat(path));
      if (found && found.mtimeMs < abandonedBefore) await rm(path, { force: true });
    }
    return new DirectoryStore(directory, random);
  }

  async put(key: string, content: BlobContent, { maxBytes, signal }: PutOptions = {}): Promise<void> {
    requireKey(key);
    const unfinished = join(this.#directory, unfinishedFolder, this.#random.uuid());
    const place = join(this.#directory, key);
    try {
      await writeFile(unfinished, boundedContent(content, maxBytes), { flush: true, signal });
      await this.#makeFolder(dirname(place));
      await rename(unfinished, place);
      await sync(dirname(place));
    } finally {
      await rm(unfinished, { force: true });
    }
  }

  async get(key: string, signal?: AbortSignal): Promise<StoredBlob | undefined> {
    requireKey(key);
    const file = await ifThere(open(join(this.#directory, key)));
    if (!file) return undefined;
    const { size } = await file.stat();
    return { size, content: file.createReadStream({ signal, highWaterMark: readBytes }) };
  }

  async *list(prefix: string, { after = "", signal }: ListOptions = {}): AsyncGenerator<BlobEntry> {
    requirePrefix(prefix);
    for await (const path of filesBelow(join(this.#directory, prefix))) {
      signal?.throwIfAborted();
      const key = relative(this.#directory, path).split(sep).join("/");
      const found = key > after ? await ifThere(stat(path)) : undefined;
      if (found) yield { key, size: found.size, modifiedAt: found.mtime };
    }
  }

  async *owners(): AsyncGenerator<string> {
    const entries = await entriesOf(this.#directory);
    for (const entry of entries)
      if (entry.isDirectory() && isOwnerSegment(entry.name)) yield await Promise.resolve(entry.name);
  }

  async delete(key: string): Promise<void> {
    requireKey(key);
    await rm(join(this.#directory, key), { force: true });
  }

  async deleteAll(prefix: string): Promise<void> {
    requirePrefix(prefix);
    await rm(join(this.#directory, prefix), { recursive: true, force: true });
  }

  async space(): Promise<StoreSpace> {
    const { bsize, blocks, bavail } = await statfs(this.#directory);
    return { bytes: blocks * bsize, freeBytes: bavail * bsize };
  }

  async #makeFolder(folder: string): Promise<void> {
    const first = await mkdir(folder, { recursive: true });
    if (first === undefined) return;
    for (let made = folder; made.length >= first.length; made = dirname(made)) await sync(dirname(made));
  }
}

/** In the order of the keys: a folder sorts with the slash that follows its name. */
async function* filesBelow(folder: string): AsyncGenerator<string> {
  for (const entry of await entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else yield path;
  }
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  const entries = (await ifThere(readdir(folder, { withFileTypes: true }))) ?? [];
  return entries.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

function sortKey(entry: Dirent): string {
  return entry.isDirectory() ? `${entry.name}/` : entry.name;
}

/** Makes renames and creations in a folder survive a crash of the machine. */
async function sync(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** What was read; undefined when there is no such file or folder. */
async function ifThere<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
