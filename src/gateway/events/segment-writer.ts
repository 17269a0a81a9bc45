import type { EventPosition } from "../../api/runtime/event-position.ts";
import type { BlobStore } from "../../blobs/blob-store.ts";
import { eventLimits } from "./limits.ts";
import { segmentKey } from "./segments.ts";

interface Deps {
  store: Pick<BlobStore, "put">;
  sessionUid: string;
  /** Part of the names of this writer's segments, unique among writers. */
  writer: string;
}

/** The whole content of a segment. */
export interface SegmentWrite {
  readonly key: string;
  readonly content: Buffer;
  /** Whether it is the first write of the segment. */
  readonly isNew: boolean;
}

/**
 * Writes segments in order; each grows until it is full. A failed write may take effect later, since a server may
 * complete a request that timed out. It must therefore be repeated unchanged, and its segment grows no more: the content
 * is the same whichever try is stored last.
 */
export class SegmentWriter {
  readonly #deps: Deps;
  #newest: Omit<SegmentWrite, "isNew"> | undefined;
  #isUnsure = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The write of these lines, the first of which is event `first`; it must be put before the next. */
  next(first: EventPosition, lines: Buffer): SegmentWrite {
    const { sessionUid, writer } = this.#deps;
    const newest = this.#newest;
    return newest && newest.content.length + lines.length <= eventLimits.segmentBytes
      ? { key: newest.key, content: Buffer.concat([newest.content, lines]), isNew: false }
      : { key: segmentKey(sessionUid, first, writer), content: lines, isNew: true };
  }

  /** Rejects when the write may have failed; the same write must then be put again. */
  async put({ key, content }: SegmentWrite, signal: AbortSignal): Promise<void> {
    try {
      await this.#deps.store.put(key, content, { once: true, signal });
    } catch (error) {
      this.#isUnsure = true;
      throw error;
    }
    this.#newest = this.#isUnsure ? undefined : { key, content };
    this.#isUnsure = false;
  }
}
