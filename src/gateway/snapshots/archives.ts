import { NoRoomError } from "../blobs/blob-budgets.ts";
import type { BlobPut, BlobUsage } from "../blobs/blob-usage.ts";
import { archiveKey, archivePrefix, parseArchiveKey, snapshotsOf } from "../../api/v1alpha1/names.ts";
import { type BlobStore, BlobTooLargeError } from "../../blobs/blob-store.ts";
import type { Random } from "../../lib/random.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { notePlace } from "../blobs/blob-places.ts";
import type { Attempt } from "../attempts/attempt.ts";
import type { AttemptOwner } from "../attempts/owner.ts";
import { type NamedArchive, namedArchives } from "./saved-archive.ts";
import { type Measure, Measured, type SavedBlob } from "./archive-check.ts";

interface Deps {
  blobs: Pick<BlobStore, "put" | "get" | "list" | "deleteAll">;
  usage: Pick<BlobUsage, "put" | "freed">;
  random: Pick<Random, "bytes">;
  logger: Logger;
}

/** An archive that was stored. */
export interface StoredArchive extends Measure {
  /** Its name. */
  archive: string;
}

/** Bounds of one archive, in bytes. */
export type ArchiveBounds = Pick<BlobPut, "replaces" | "classLimit">;

/** Limit of an archive, in bytes. */
export const largestArchive = 16 * 1024 ** 3;

/**
 * Archives of workspaces in the blob store. Each save stores a new one, and the owner's status names the one that
 * counts: a failed write may take effect later, and must not replace another archive.
 */
export class Archives {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Stores an archive. @throws BlobTooLargeError, NoRoomError */
  async store(of: Attempt, content: AsyncIterable<Uint8Array>, bounds: ArchiveBounds = {}): Promise<StoredArchive> {
    const { blobs, usage, random, logger } = this.#deps;
    const { sessionUid, session, attempt } = of;
    const saved = { attempt, archive: random.bytes(8).toString("hex") };
    await notePlace(blobs, of);
    const measured = new Measured();
    try {
      const put = { ...bounds, maxBytes: largestArchive };
      await usage.put(of, archiveKey(sessionUid, saved), measured.pass(content), put);
    } catch (error) {
      if (error instanceof BlobTooLargeError || error instanceof NoRoomError) throw error;
      // If the write takes effect after that, the save of the next attempt deletes it.
      blobs.deleteAll(archivePrefix(sessionUid, saved)).catch((err: unknown) => {
        logger.warn({ err, session }, "Could not delete a partly stored workspace");
      });
      throw error;
    }
    return { archive: saved.archive, ...measured.result() };
  }

  /** The archive of that name; undefined for one that was deleted. */
  async read({ ownerUid, saved, measure }: NamedArchive): Promise<SavedBlob | undefined> {
    const blob = await this.#deps.blobs.get(archiveKey(ownerUid, saved));
    return blob && { ...blob, saved: measure };
  }

  /** Deletes archives of earlier attempts that the status does not name. */
  async forgetOlder(owner: AttemptOwner): Promise<void> {
    const { blobs, usage } = this.#deps;
    const { uid = "", namespace = "" } = owner.metadata;
    const kept = namedArchives(owner).map((named) => archivePrefix(uid, named));
    const current = owner.status?.sandbox?.attempt ?? 0;
    for await (const { key, size } of blobs.list(snapshotsOf(uid))) {
      const found = parseArchiveKey(key);
      const prefix = archivePrefix(uid, found);
      if (found.attempt >= current || kept.includes(prefix)) continue;
      await blobs.deleteAll(prefix);
      usage.freed({ sessionUid: uid, namespace }, size);
    }
  }
}
