import type { EventsLeftOut } from "../../api/runtime/events-left-out.ts";
import type { SessionEvent } from "../../api/runtime/session-event.ts";
import type { BlobStore } from "../../blobs/blob-store.ts";
import { sleep } from "../../lib/sleep.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Attempt } from "../attempts/attempt.ts";
import { notePlace } from "../blobs/blob-places.ts";
import { EventQuota, type SharedRoom } from "./event-quota.ts";
import { eventLimits, eventTimes } from "./limits.ts";
import { type SegmentWrite, SegmentWriter } from "./segment-writer.ts";
import { listSegments, readSegment, segmentLine, weightOf } from "./segments.ts";

interface JournalDeps {
  store: Pick<BlobStore, "put" | "get" | "list">;
  clock: Clock;
  /** Part of the names of this writer's segments, unique among writers. */
  writer: string;
  /** What the sessions of a namespace share; left out: nothing. */
  shared?: ((namespace: string) => SharedRoom) | undefined;
  /** Called when the first event is left out, and when another limit is the cause; left out: nobody wants to know. */
  leftOut?: ((attempt: Attempt, why: EventsLeftOut) => void) | undefined;
}

export interface JournalUser {
  attempt: Attempt;
  /** Number up to which events were stored before. */
  storedTo: number;
  /** Called when more events are stored, or dropped beyond the quota. */
  stored: () => void;
  /** Called when storing failed; it is tried again. */
  failed: (error: unknown) => void;
  /** Ends the journal: nothing more is stored or called back. */
  signal: AbortSignal;
}

interface Waiting {
  seq: number;
  /** Left out when nothing is to be stored of this number. */
  event?: SessionEvent | undefined;
  /** Made once; empty when the event is dropped. */
  line?: Buffer;
}

/** The next write, the same until it has succeeded. */
interface Step {
  /** Number of waiting events that it completes. */
  count: number;
  /** Left out when all of them are dropped. */
  write?: SegmentWrite;
}

/**
 * Stores the events of one connection of one attempt in order, in batches of those that arrive during a write. Leaves
 * out events that another connection of the attempt is seen to have stored.
 */
export class Journal {
  readonly #deps: JournalDeps;
  readonly #user: JournalUser;
  #waiting: Waiting[] = [];
  #storedTo: number;
  #addedTo: number;
  #opened: { quota: EventQuota; lastSeq: number } | undefined;
  #step: Step | undefined;
  readonly #segments: SegmentWriter;
  #isWriting = false;
  #writtenMs = -Infinity;
  /** Aborted to start the next write at once. */
  #hurry = new AbortController();
  #settling: { seq: number; done: () => void }[] = [];
  /** A {@link settle} has timed out, and nothing was stored since. */
  #isLate = false;

  constructor(deps: JournalDeps, user: JournalUser) {
    this.#deps = deps;
    this.#user = user;
    this.#storedTo = this.#addedTo = user.storedTo;
    this.#segments = new SegmentWriter({ ...deps, sessionUid: user.attempt.sessionUid });
    user.signal.addEventListener("abort", () => this.#release(Infinity), { once: true });
  }

  /** Number up to which events are stored or dropped. */
  get storedTo(): number {
    return this.#storedTo;
  }

  /** Number of waiting events. */
  get size(): number {
    return this.#waiting.length;
  }

  /** Adds an event, or a number of which nothing is to be stored; one that was added before is ignored. */
  add(seq: number, event: SessionEvent["event"] | undefined): void {
    if (seq <= this.#addedTo) return;
    this.#addedTo = seq;
    const time = this.#deps.clock.now().toISOString();
    this.#waiting.push({ seq, event: event && { attempt: this.#user.attempt.attempt, seq, time, event } });
    if (!this.#isWriting) void this.#write();
    else if (this.#waiting.length >= eventLimits.waitingEvents) this.#hurry.abort();
  }

  /**
   * Resolves when everything up to this number is stored, or after `eventTimes.reportMs`. While nothing can be stored only
   * the first call waits: repeated reports of a new connection must not wait one after the other.
   */
  settle(seq: number): Promise<void> {
    if (seq <= this.#storedTo || this.#isLate || this.#user.signal.aborted) return Promise.resolve();
    this.#hurry.abort();
    return new Promise((resolve) => {
      const late = (): void => {
        this.#isLate = true;
        done();
      };
      const timer = this.#deps.clock.setTimeout(late, eventTimes.reportMs);
      const done = (): void => {
        timer.cancel();
        resolve();
      };
      this.#settling.push({ seq, done });
    });
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    const { signal, failed } = this.#user;
    const { clock } = this.#deps;
    const isStopped = (): boolean => signal.aborted;
    for (let failures = 0; this.#waiting.length > 0 && !isStopped();) {
      await this.#collect();
      try {
        await this.#store();
        failures = 0;
      } catch (error) {
        if (isStopped()) return;
        failed(error);
        failures += 1;
        await sleep(clock, delayAfter(failures), signal);
      }
    }
    this.#isWriting = false;
  }

  /** Waits for more events, so that a verbose agent causes one write a second. */
  async #collect(): Promise<void> {
    const { clock } = this.#deps;
    const waitMs = this.#writtenMs + eventTimes.writeMs - clock.monotonicMs();
    const isUrgent = this.#settling.length > 0 || this.#waiting.length >= eventLimits.waitingEvents;
    if (waitMs <= 0 || isUrgent) return;
    this.#hurry = new AbortController();
    await sleep(clock, waitMs, AbortSignal.any([this.#user.signal, this.#hurry.signal]));
  }

  async #store(): Promise<void> {
    const { signal } = this.#user;
    this.#opened ??= await this.#open();
    this.#step ??= this.#nextStep(this.#opened);
    const { count, write } = this.#step;
    if (write) await this.#segments.put(write, signal);
    if (signal.aborted) return;
    if (write?.isNew) this.#opened.quota.add(eventLimits.segmentOverhead);
    this.#step = undefined;
    const done = this.#waiting.splice(0, count);
    this.#writtenMs = this.#deps.clock.monotonicMs();
    this.#isLate = false;
    this.#release(done.at(-1)?.seq ?? this.#storedTo);
    this.#user.stored();
  }

  #nextStep(opened: { quota: EventQuota; lastSeq: number }): Step {
    const batch = this.#nextBatch(opened);
    const kept = batch.filter(({ line }) => line !== nothing);
    const first = kept[0]?.event;
    if (!first) return { count: batch.length };
    const lines = Buffer.concat(kept.flatMap(({ line }) => line ?? []));
    return { count: batch.length, write: this.#segments.next(first, lines) };
  }

  /** As many waiting events as fit into one segment. */
  #nextBatch({ quota, lastSeq }: { quota: EventQuota; lastSeq: number }): Waiting[] {
    let bytes = 0;
    const end = this.#waiting.findIndex((waiting) => {
      waiting.line ??= lineOf(waiting.event, quota, lastSeq);
      bytes += waiting.line.length;
      return bytes >= eventLimits.segmentBytes;
    });
    return end < 0 ? [...this.#waiting] : this.#waiting.slice(0, end + 1);
  }

  async #open(): Promise<{ quota: EventQuota; lastSeq: number }> {
    const { attempt, signal } = this.#user;
    let used = 0;
    let newest: string | undefined;
    for await (const segment of listSegments(this.#deps.store, attempt.sessionUid, { signal })) {
      used += weightOf(segment);
      if (segment.attempt === attempt.attempt) newest = segment.key;
    }
    // With the first segment the namespace was recorded.
    if (used === 0) await notePlace(this.#deps.store, attempt, signal);
    const events = newest === undefined ? [] : await readSegment(this.#deps.store, newest, signal);
    const { shared, leftOut } = this.#deps;
    const quota = new EventQuota(used, {
      shared: shared?.(attempt.namespace),
      leftOut: (why) => leftOut?.(attempt, why),
    });
    return { quota, lastSeq: events.at(-1)?.seq ?? 0 };
  }

  #release(seq: number): void {
    if (Number.isFinite(seq)) this.#storedTo = seq;
    const due = this.#settling.filter((one) => one.seq <= seq);
    this.#settling = this.#settling.filter((one) => one.seq > seq);
    for (const { done } of due) done();
  }
}

/** Milliseconds to the next try, after so many failures in a row. */
function delayAfter(failures: number): number {
  return Math.min(eventTimes.retryMs.first * 2 ** (failures - 1), eventTimes.retryMs.longest);
}

const nothing = Buffer.alloc(0);

function lineOf(stored: SessionEvent | undefined, quota: EventQuota, lastSeq: number): Buffer {
  if (!stored || stored.seq <= lastSeq) return nothing;
  const event = quota.admit(stored.event);
  if (!event) return nothing;
  const line = segmentLine({ ...stored, event });
  quota.add(line.length);
  return line;
}
