import { type EventPosition, isAfter } from "../../api/runtime/event-position.ts";
import type { BlobStore } from "../../blobs/blob-store.ts";
import { listSegments, type Segment } from "./segments.ts";

/** Which part of a session's events is wanted. */
export interface WantedPart {
  /** Bytes of the part in stored segments, of which there is at least one. */
  bytes: number;
  /** Left out: the part ends with the newest event. */
  before?: EventPosition | undefined;
}

/**
 * The first event of the newest part of a session's events, which begins with a segment; undefined where there are no older
 * ones. What is older and the part meet there: each event comes either before it, or is in the part.
 */
export async function beginOfPart(
  store: Pick<BlobStore, "list">,
  sessionUid: string,
  { bytes, before }: WantedPart,
  signal: AbortSignal,
): Promise<EventPosition | undefined> {
  const part = new Newest(bytes);
  let oldest: EventPosition | undefined;
  for await (const segment of listSegments(store, sessionUid, { signal })) {
    const begin = beginOf(segment);
    if (before && !isAfter(before, begin)) break;
    oldest ??= begin;
    part.add(segment);
  }
  const begin = part.oldest && beginOf(part.oldest);
  // Two gateways may have stored the same first event.
  return begin && oldest && isAfter(begin, oldest) ? begin : undefined;
}

function beginOf({ attempt, first }: Segment): EventPosition {
  return { attempt, seq: first };
}

/** The newest segments that have so many bytes together, at least one. */
class Newest {
  readonly #bytes: number;
  readonly #segments: Segment[] = [];
  #size = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  get oldest(): Segment | undefined {
    return this.#segments[0];
  }

  /** Adds a segment that is newer than all before. */
  add(segment: Segment): void {
    this.#segments.push(segment);
    this.#size += segment.size;
    while (this.#size > this.#bytes && this.#segments.length > 1) this.#size -= this.#segments.shift()?.size ?? 0;
  }
}
