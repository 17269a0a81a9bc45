import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";

import { snapshotsOf } from "../../src/api/v1alpha1/names.ts";
import type { BlobContent, BlobStore } from "../../src/blobs/blob-store.ts";
import { noRoom } from "../../src/gateway/blobs/blob-budgets.ts";
import type { BlobUsage } from "../../src/gateway/blobs/blob-usage.ts";
import { FakeStore } from "../../src/gateway/events/fake-store.ts";
import { type Between, type Caller, reach } from "./reach.ts";

/** How the blob store is: out of reach, or with no room for another archive. */
export type StoreState = "well" | "away" | "full";

/** The blob store that all gateways share. Saved workspaces take the way of messages to it, and may fail; events do not. */
export class WorkspaceStore {
  readonly #between: Between;
  readonly #blobs = new FakeStore();
  state: StoreState = "well";

  constructor(between: Between) {
    this.#between = between;
  }

  /** The workspace in an archive; undefined: there is no such archive. */
  find(key: string): string | undefined {
    return this.#blobs.blobs.get(key)?.toString();
  }

  /** The store as one process has it. */
  seenBy(caller: Caller): BlobStore {
    const blobs = this.#blobs as unknown as BlobStore;
    return {
      put: (key, content) => this.#put(caller, key, content),
      get: (key) => blobs.get(key),
      list: (prefix, options) => blobs.list(prefix, options),
      owners: () => blobs.owners(),
      delete: (key) => blobs.delete(key),
      deleteAll: (prefix) => this.#reach(caller, () => void blobs.deleteAll(prefix)),
    };
  }

  /** What gateways ask for room. */
  usageOf(blobs: BlobStore): BlobUsage {
    const usage: Pick<BlobUsage, "put" | "freed"> = {
      put: (place, key, content) => {
        if (this.state !== "full") return blobs.put(key, content);
        return Promise.reject(noRoom("total", { limit: 0, used: 0, namespace: place.namespace }));
      },
      freed: () => undefined,
    };
    return usage as BlobUsage;
  }

  async #put(caller: Caller, key: string, content: BlobContent): Promise<void> {
    const bytes = content instanceof Uint8Array ? content : await buffer(Readable.from(content));
    const [owner = ""] = key.split("/");
    const isArchive = key.startsWith(snapshotsOf(owner));
    if (isArchive) await this.#reach(caller, () => void this.#blobs.put(key, bytes));
    else await this.#blobs.put(key, bytes);
  }

  #reach(caller: Caller, run: () => void): Promise<void> {
    return reach(this.#between, caller, { name: "blobs", isAway: () => this.state === "away" }, run);
  }
}
