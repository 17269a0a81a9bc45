import { createHash } from "node:crypto";
import type { StoredBlob } from "../../blobs/blob-store.ts";
import { inPieces } from "./in-pieces.ts";

/** Bytes of one piece of an archive that is sent: each piece costs gateway and runtime the same time, whatever its size. */
export const archivePieceBytes = 262_144;

/** Size and digest of an archive. */
export interface Measure {
  bytes: number;
  /** `sha256:` and 64 hexadecimal digits. */
  digest: string;
}

/** An archive in the blob store, and what is known of it; archives of earlier versions have no digest. */
export interface SavedBlob extends StoredBlob {
  saved: { bytes?: number | undefined; digest?: string | undefined };
}

/** What is in the blob store is not what was saved. */
export class DamagedArchiveError extends Error {
  override readonly name = "DamagedArchiveError";
}

/** Measures an archive while it passes. */
export class Measured {
  readonly #hash = createHash("sha256");
  #bytes = 0;

  async *pass(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of content) {
      this.#hash.update(piece);
      this.#bytes += piece.length;
      yield piece;
    }
  }

  /** Of all that has passed; to be asked once. */
  result(): Measure {
    return { bytes: this.#bytes, digest: `sha256:${this.#hash.digest("hex")}` };
  }
}

/**
 * The archive's content, in pieces of {@link archivePieceBytes}. It fails before its first piece where the size is wrong, and after its last one where the digest
 * is. @throws DamagedArchiveError
 */
export async function* checked({ content, size, saved }: SavedBlob): AsyncGenerator<Uint8Array> {
  if (saved.bytes !== undefined && saved.bytes !== size) {
    throw new DamagedArchiveError(`the archive has ${size} bytes and had ${saved.bytes}`);
  }
  const measured = new Measured();
  yield* measured.pass(inPieces(content, archivePieceBytes));
  if (saved.digest !== undefined && measured.result().digest !== saved.digest) {
    throw new DamagedArchiveError("the archive is not the one that was saved");
  }
}
