import type { EventPosition } from "../../api/runtime/session-event.ts";
import type { BlobStore } from "../../blobs/blob-store.ts";
import { eventLimits } from "./limits.ts";
import { segmentKey } from "./segments.ts";

interface Deps {
  store: Pick<BlobStore, "put">;
  sessionUid: string;
  /** Tells this writer's segments from those of others. */
  writer: string;
}

/** All that a segment is to hold. */
export interface SegmentWrite {
  readonly key: string;
  readonly content: Buffer;
  /** Whether there was no such segment before. */
  readonly isNew: boolean;
}

/**
 * Writes one segment after the other, each growing until it is full. A write that failed may be stored all the same, and
 * later than others: a server may carry out what timed out. So it must be tried again just as it is, and its segment
 * grows no more: whichever try is stored last, the content is the same.
 */
export class SegmentWriter {
  readonly #deps: Deps;
  #newest: Omit<SegmentWrite, "isNew"> | undefined;
  #isUnsure = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Where lines go whose first event is `first`; it must be put before the next. */
  next(first: EventPosition, lines: Buffer): SegmentWrite {
    const { sessionUid, writer } = this.#deps;
    const newest = this.#newest;
    return newest && newest.content.length + lines.length <= eventLimits.segmentBytes
      ? { key: newest.key, content: Buffer.concat([newest.content, lines]), isNew: false }
      : { key: segmentKey(sessionUid, first, writer), content: lines, isNew: true };
  }

  /** Rejects when it may not be stored; the same write must then be put again. */
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
