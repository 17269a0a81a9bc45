import { type EventPosition, isAfter } from "../../api/runtime/event-position.ts";
import type { SessionEvent } from "../../api/runtime/session-event.ts";
import type { BlobStore, ListOptions } from "../../blobs/blob-store.ts";
import { listSegments, readSegment, type Segment } from "./segments.ts";

/** How far the events of an attempt have been read. */
interface Tail {
  position: EventPosition;
  /** The newest segment that was read, which may have grown, and the key before it. */
  newest?: Segment;
  before?: string | undefined;
}

/** Page size of the segments of an earlier attempt, of which there are hardly ever new ones. */
const fewSegments = 10;

/**
 * Reads a session's events in order, each once; every read continues after the previous one. Events that the attempt
 * before the newest one stores late, while its runtime shuts down, come late.
 */
export class EventReader {
  readonly #store: Pick<BlobStore, "get" | "list">;
  readonly #sessionUid: string;
  readonly #tail: Tail;
  /** Of the attempt before the newest. */
  #earlier: Tail | undefined;

  /** Starts after `position`, or with the first event. */
  constructor(store: Pick<BlobStore, "get" | "list">, sessionUid: string, position?: EventPosition) {
    this.#store = store;
    this.#sessionUid = sessionUid;
    this.#tail = { position: position ?? { attempt: 0, seq: 0 } };
  }

  /** Position of the newest event that was read; an event before it came late. */
  get position(): EventPosition {
    return this.#tail.position;
  }

  /** Stored events that were not read yet. */
  async *read(signal: AbortSignal): AsyncGenerator<SessionEvent> {
    if (this.#earlier) yield* this.#readBehind(this.#earlier, this.#listEarlier(this.#earlier, signal), signal);
    yield* this.#readBehind(this.#tail, this.#list(this.#tail, { signal }), signal);
  }

  async *#readBehind(tail: Tail, segments: AsyncIterable<Segment>, signal: AbortSignal): AsyncGenerator<SessionEvent> {
    let held: Segment | undefined;
    for await (const segment of segments) {
      // Events of the held segment from the start of the next one on are in the next one too.
      const isBehind = !isAfter({ attempt: segment.attempt, seq: segment.first }, tail.position);
      if (held && !isBehind) yield* this.#readOne(tail, held, signal);
      if (held && segment.attempt > held.attempt) await this.#leave(held, tail, signal);
      if (held) tail.before = held.key;
      held = segment;
    }
    if (held) yield* this.#readOne(tail, held, signal);
  }

  #list({ before }: Tail, options: ListOptions): AsyncGenerator<Segment> {
    return listSegments(this.#store, this.#sessionUid, before === undefined ? options : { ...options, after: before });
  }

  async *#listEarlier(tail: Tail, signal: AbortSignal): AsyncGenerator<Segment> {
    for await (const segment of this.#list(tail, { signal, atOnce: fewSegments })) {
      if (segment.attempt > tail.position.attempt) return;
      yield segment;
    }
  }

  async *#readOne(tail: Tail, segment: Segment, signal: AbortSignal): AsyncGenerator<SessionEvent> {
    if (segment.key === tail.newest?.key && segment.size === tail.newest.size) return;
    for (const event of await readSegment(this.#store, segment.key, signal)) {
      if (!isAfter(event, tail.position)) continue;
      tail.position = { attempt: event.attempt, seq: event.seq };
      yield event;
    }
    tail.newest = segment;
  }

  /** Remembers where the events of a finished attempt end, read here or before `position`. */
  async #leave(newest: Segment, { position, before }: Tail, signal: AbortSignal): Promise<void> {
    const { attempt, first } = newest;
    // The earlier tail covers this attempt already.
    if (this.#earlier && this.#earlier.position.attempt >= attempt) return;
    const isGiven = position.attempt === attempt;
    const last = isGiven ? position : (await readSegment(this.#store, newest.key, signal)).at(-1);
    this.#earlier = { position: { attempt, seq: last?.seq ?? first }, newest, before };
  }
}
