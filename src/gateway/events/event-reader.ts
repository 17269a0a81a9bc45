import { type EventPosition, isAfter, type SessionEvent } from "../../api/runtime/session-event.ts";
import type { BlobStore } from "../../blobs/blob-store.ts";
import { listSegments, readSegment, type Segment } from "./segments.ts";

/** Reads a session's events in order, each once, and goes on where it was with what was stored meanwhile. */
export class EventReader {
  readonly #store: Pick<BlobStore, "get" | "list">;
  readonly #sessionUid: string;
  #position: EventPosition;
  /** The newest segment that was read, which may have grown, and the key before it. */
  #newest: Segment | undefined;
  #before: string | undefined;

  /** Begins behind `position`, or with the first event. */
  constructor(store: Pick<BlobStore, "get" | "list">, sessionUid: string, position?: EventPosition) {
    this.#store = store;
    this.#sessionUid = sessionUid;
    this.#position = position ?? { attempt: 0, seq: 0 };
  }

  /** What is stored behind the last event that was given. */
  async *read(signal: AbortSignal): AsyncGenerator<SessionEvent> {
    let held: Segment | undefined;
    for await (const segment of listSegments(this.#store, this.#sessionUid, this.#from(signal))) {
      // What the held one has beyond the next one's beginning, that one has too.
      const isBehind = !isAfter({ attempt: segment.attempt, seq: segment.first }, this.#position);
      if (held && !isBehind) yield* this.#readOne(held, signal);
      if (held) this.#before = held.key;
      held = segment;
    }
    if (held) yield* this.#readOne(held, signal);
  }

  #from(signal: AbortSignal): { after?: string; signal: AbortSignal } {
    return { signal, ...(this.#before === undefined ? {} : { after: this.#before }) };
  }

  async *#readOne(segment: Segment, signal: AbortSignal): AsyncGenerator<SessionEvent> {
    if (segment.key === this.#newest?.key && segment.size === this.#newest.size) return;
    for (const event of await readSegment(this.#store, segment.key, signal)) {
      if (!isAfter(event, this.#position)) continue;
      this.#position = { attempt: event.attempt, seq: event.seq };
      yield event;
    }
    this.#newest = segment;
  }
}
