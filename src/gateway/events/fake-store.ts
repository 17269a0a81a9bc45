import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { BlobContent, BlobEntry, ListOptions, StoredBlob } from "../../blobs/blob-store.ts";

/** A blob store in memory, for tests: the next calls can be made to fail. */
export class FakeStore {
  readonly blobs = new Map<string, Buffer>();
  /** What each write stored, in order. */
  readonly puts: string[] = [];
  /** Errors of the next calls, first to last. */
  readonly failures: Error[] = [];
  /** Called before each write, which rejects with what it throws. */
  beforePut: (key: string, content: Buffer) => void = () => undefined;

  async put(key: string, content: BlobContent): Promise<void> {
    this.#failIfTold();
    const bytes = content instanceof Uint8Array ? Buffer.from(content) : await buffer(Readable.from(content));
    this.beforePut(key, bytes);
    this.blobs.set(key, bytes);
    this.puts.push(key);
  }

  get(key: string): Promise<StoredBlob | undefined> {
    const found = this.blobs.get(key);
    return Promise.resolve(found && { size: found.length, content: Readable.from([found]) });
  }

  async *list(prefix: string, { after = "" }: ListOptions = {}): AsyncGenerator<BlobEntry> {
    this.#failIfTold();
    const keys = [...this.blobs.keys()].filter((key) => key.startsWith(prefix) && key > after);
    for (const key of keys.sort()) {
      yield await Promise.resolve({ key, size: this.blobs.get(key)?.length ?? 0, modifiedAt: new Date(0) });
    }
  }

  async *owners(): AsyncGenerator<string> {
    this.#failIfTold();
    for (const owner of new Set([...this.blobs.keys()].map((key) => key.split("/")[0] ?? ""))) {
      yield await Promise.resolve(owner);
    }
  }

  deleteAll(prefix: string): Promise<void> {
    for (const key of this.blobs.keys()) if (key.startsWith(prefix)) this.blobs.delete(key);
    return Promise.resolve();
  }

  #failIfTold(): void {
    const failure = this.failures.shift();
    if (failure) throw failure;
  }
}
