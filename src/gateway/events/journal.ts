import type { SessionEvent } from "../../api/runtime/session-event.ts";
import type { BlobStore } from "../../blobs/blob-store.ts";
import { sleep } from "../../lib/sleep.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Attempt } from "../attempts/attempt.ts";
import { notePlace } from "../blobs/blob-places.ts";
import { EventQuota } from "./event-quota.ts";
import { eventLimits, eventTimes } from "./limits.ts";
import { type SegmentWrite, SegmentWriter } from "./segment-writer.ts";
import { listSegments, readSegment, segmentLine, weightOf } from "./segments.ts";

export interface JournalDeps {
  store: Pick<BlobStore, "put" | "get" | "list">;
  clock: Clock;
  /** Tells this writer's segments from those of others. */
  writer: string;
}

interface JournalUser {
  attempt: Attempt;
  /** Everything up to this number was stored before; where numbers begin. */
  storedTo: number;
  /** More has been stored, or left out for want of room. */
  stored: () => void;
  /** Storing failed for now. */
  failed: (error: unknown) => void;
  /** Ends it: nothing more is stored or told. */
  signal: AbortSignal;
}

interface Waiting {
  event: SessionEvent;
  /** Made once, empty where the event finds no room. */
  line?: Buffer;
}

/** What is stored next, the same until it is stored. */
interface Step {
  /** How many of those that wait are dealt with by it. */
  count: number;
  /** Left out where none of them finds room. */
  write?: SegmentWrite;
}

/**
 * Stores the events of one connection of one attempt, in order, those together that came meanwhile. What another
 * connection of the attempt has stored already is left out as far as it can be seen.
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
  /** Aborted when the next write must not wait. */
  #hurry = new AbortController();
  #settling: { seq: number; done: () => void }[] = [];
  /** Somebody has waited in vain, and nothing was stored since. */
  #isLate = false;

  constructor(deps: JournalDeps, user: JournalUser) {
    this.#deps = deps;
    this.#user = user;
    this.#storedTo = this.#addedTo = user.storedTo;
    this.#segments = new SegmentWriter({ ...deps, sessionUid: user.attempt.sessionUid });
    user.signal.addEventListener("abort", () => this.#release(Infinity), { once: true });
  }

  /** Everything up to this number has been dealt with. */
  get storedTo(): number {
    return this.#storedTo;
  }

  /** How many events wait. */
  get size(): number {
    return this.#waiting.length;
  }

  /** Takes an event; one that it has taken already is left out. */
  add(seq: number, event: SessionEvent["event"]): void {
    if (seq <= this.#addedTo) return;
    this.#addedTo = seq;
    const time = this.#deps.clock.now().toISOString();
    this.#waiting.push({ event: { attempt: this.#user.attempt.attempt, seq, time, event } });
    if (!this.#isWriting) void this.#write();
    else if (this.#waiting.length >= eventLimits.waitingEvents) this.#hurry.abort();
  }

  /**
   * Resolves when everything up to this number is stored, or when that takes too long for who waits. While nothing can be
   * stored only the first one waits: reports that come again with a new connection must not wait one after the other.
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
    const isOver = (): boolean => signal.aborted;
    for (let failures = 0; this.#waiting.length > 0 && !isOver();) {
      await this.#collect();
      try {
        await this.#store();
        failures = 0;
      } catch (error) {
        if (isOver()) return;
        failed(error);
        await sleep(clock, Math.min(eventTimes.retryMs.first * 2 ** failures, eventTimes.retryMs.longest), signal);
        failures += 1;
      }
    }
    this.#isWriting = false;
  }

  /** Lets more come, so that a talkative agent costs one write a second. */
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
    this.#release(done.at(-1)?.event.seq ?? this.#storedTo);
    this.#user.stored();
  }

  #nextStep(opened: { quota: EventQuota; lastSeq: number }): Step {
    const batch = this.#nextBatch(opened);
    const kept = batch.filter(({ line }) => line !== nothing);
    if (!kept[0]) return { count: batch.length };
    const lines = Buffer.concat(kept.flatMap(({ line }) => line ?? []));
    return { count: batch.length, write: this.#segments.next(kept[0].event, lines) };
  }

  /** As many of those that wait as one segment takes. */
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
    // Whoever stored the first one has noted it.
    if (used === 0) await notePlace(this.#deps.store, attempt, signal);
    const events = newest === undefined ? [] : await readSegment(this.#deps.store, newest, signal);
    return { quota: new EventQuota(used), lastSeq: events.at(-1)?.seq ?? 0 };
  }

  #release(seq: number): void {
    if (Number.isFinite(seq)) this.#storedTo = seq;
    const due = this.#settling.filter((one) => one.seq <= seq);
    this.#settling = this.#settling.filter((one) => one.seq > seq);
    for (const { done } of due) done();
  }
}

const nothing = Buffer.alloc(0);

function lineOf(stored: SessionEvent, quota: EventQuota, lastSeq: number): Buffer {
  if (stored.seq <= lastSeq) return nothing;
  const event = quota.admit(stored.event);
  if (!event) return nothing;
  const line = segmentLine({ ...stored, event });
  quota.add(line.length);
  return line;
}
