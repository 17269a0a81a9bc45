import type { BlobContent, BlobStore } from "../../blobs/blob-store.ts";
import type { BlobBound } from "../metrics/blob-bounds.ts";
import { type BlobBounds, type BlobBudgets, boundsOf, noRoom, storeBytes } from "./blob-budgets.ts";
import { isEvents, placeIn, type SessionPlace } from "./blob-places.ts";
import { eventBlobOverhead, type EventUsage } from "./event-usage.ts";

interface Deps {
  blobs: Pick<BlobStore, "put" | "owners" | "list" | "space">;
  budgets: BlobBudgets;
  /** Takes what each measurement finds of events. */
  events?: Pick<EventUsage, "begin"> | undefined;
  /** Counts what found no room. */
  refused?: (bound: BlobBound) => void;
}

/** A change since the store was measured. */
interface Change {
  readonly place: SessionPlace;
  bytes: number;
  /** The measurement after which it counts no more, as that one has seen it; undefined while it goes on. */
  settledBefore: number | undefined;
}

/** How something of a session is stored. */
export interface BlobPut {
  /** Bytes of what it replaces, which count against neither session nor namespace. */
  replaces?: number | undefined;
  /** Bytes of the largest content, by the class of the session's sandbox. */
  classLimit?: number | undefined;
  /** Bytes of the largest content of any class. */
  maxBytes?: number;
  signal?: AbortSignal;
}

/** Bytes of a volume between two looks at how much of it is free. */
const volumeStep = 16 * 1_048_576;
/** Part of a volume that is kept free for events. */
const keptFree = 0.1;

/**
 * How much saved workspaces and images have of the blob store, by session and namespace, and whether there is room for more.
 * Events have budgets of their own. Other replicas' writes count from the next measurement on.
 */
export class BlobUsage {
  readonly #deps: Deps;
  readonly #changes = new Set<Change>();
  #measured: ReadonlyMap<string, Change> = new Map();
  #sums = { sessions: new Map<string, number>(), namespaces: new Map<string, number>(), total: 0 };
  #bounds: BlobBounds = { session: Infinity, namespace: Infinity, total: Infinity };
  #measurements = 0;
  #first: Promise<void> | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Bytes in use, and what they may be; for metrics. */
  get total(): { used: number; bound: number } {
    return { used: this.#sums.total, bound: this.#bounds.total };
  }

  /** Looks at all that is stored. */
  async measure(signal?: AbortSignal): Promise<void> {
    const { blobs, budgets } = this.#deps;
    this.#measurements += 1;
    const number = this.#measurements;
    const space = await blobs.space?.();
    this.#bounds = boundsOf(budgets, space);
    const foundEvents = this.#deps.events?.begin(storeBytes(budgets, space));
    const { measured, events } = await lookAtAll(blobs, signal);
    foundEvents?.(events);
    for (const change of this.#changes)
      if (change.settledBefore !== undefined && change.settledBefore < number) this.#changes.delete(change);
    this.#measured = measured;
    this.#addUp();
  }

  /**
   * Stores something of a session if there is room, and counts it from its first byte on, so that several stores at once
   * find no more room than there is. @throws NoRoomError, BlobTooLargeError
   */
  async put(
    place: SessionPlace,
    key: string,
    content: BlobContent,
    { replaces, classLimit, ...rest }: BlobPut = {},
  ): Promise<void> {
    await this.#untilMeasured();
    await this.#checkVolume(place);
    const change: Change = { place, bytes: 0, settledBefore: undefined };
    let refusal: unknown;
    const take = (bytes: number): void => {
      try {
        this.#take(change, bytes, { replaces, classLimit });
      } catch (error) {
        refusal = error;
        throw error;
      }
    };
    this.#changes.add(change);
    try {
      if (content instanceof Uint8Array) take(content.length);
      const counted = content instanceof Uint8Array ? content : this.#counted(place, content, take);
      await this.#deps.blobs.put(key, counted, rest);
      change.settledBefore = this.#measurements;
    } catch (error) {
      this.#changes.delete(change);
      this.#add(place, -change.bytes);
      // A store may wrap what its source throws.
      throw refusal ?? error;
    }
  }

  /** Something of a session was deleted. */
  freed(place: SessionPlace, bytes: number): void {
    this.#changes.add({ place, bytes: -bytes, settledBefore: this.#measurements });
    this.#add(place, -bytes);
  }

  #untilMeasured(): Promise<void> {
    this.#first ??= this.measure().catch((error: unknown) => {
      this.#first = undefined;
      throw error;
    });
    return this.#first;
  }

  #take(change: Change, bytes: number, { replaces = 0, classLimit = Infinity }: BlobPut): void {
    const { place } = change;
    if (change.bytes + bytes > classLimit) throw this.#refusal("class", place, { limit: classLimit, used: 0 });
    this.#check(place, bytes, replaces);
    change.bytes += bytes;
    this.#add(place, bytes);
  }

  async *#counted(
    place: SessionPlace,
    content: AsyncIterable<Uint8Array>,
    take: (bytes: number) => void,
  ): AsyncGenerator<Uint8Array> {
    let unchecked = 0;
    for await (const piece of content) {
      take(piece.length);
      unchecked += piece.length;
      if (unchecked >= volumeStep) {
        await this.#checkVolume(place);
        unchecked = 0;
      }
      yield piece;
    }
  }

  #check(place: SessionPlace, bytes: number, replaces: number): void {
    const { sessions, namespaces, total } = this.#sums;
    const used = {
      session: (sessions.get(place.sessionUid) ?? 0) - replaces,
      namespace: (namespaces.get(place.namespace) ?? 0) - replaces,
      total,
    };
    for (const bound of ["session", "namespace", "total"] as const) {
      const limit = this.#bounds[bound];
      if (used[bound] + bytes > limit) throw this.#refusal(bound, place, { limit, used: Math.max(0, used[bound]) });
    }
  }

  async #checkVolume(place: SessionPlace): Promise<void> {
    const space = await this.#deps.blobs.space?.();
    if (space && space.freeBytes < space.bytes * keptFree)
      throw this.#refusal("volume", place, { limit: space.bytes, used: space.bytes - space.freeBytes });
  }

  #refusal(bound: BlobBound, { namespace }: SessionPlace, measure: { limit: number; used: number }): Error {
    this.#deps.refused?.(bound);
    return noRoom(bound, { ...measure, namespace });
  }

  #addUp(): void {
    this.#sums = { sessions: new Map(), namespaces: new Map(), total: 0 };
    for (const { place, bytes } of [...this.#measured.values(), ...this.#changes]) this.#add(place, bytes);
  }

  #add({ sessionUid, namespace }: SessionPlace, bytes: number): void {
    const { sessions, namespaces } = this.#sums;
    sessions.set(sessionUid, (sessions.get(sessionUid) ?? 0) + bytes);
    namespaces.set(namespace, (namespaces.get(namespace) ?? 0) + bytes);
    this.#sums.total += bytes;
  }
}

/** What sessions have, and events by namespace. */
async function lookAtAll(
  blobs: Pick<BlobStore, "owners" | "list">,
  signal: AbortSignal | undefined,
): Promise<{ measured: Map<string, Change>; events: Map<string, number> }> {
  const measured = new Map<string, Change>();
  const events = new Map<string, number>();
  for await (const sessionUid of blobs.owners()) {
    signal?.throwIfAborted();
    const { bytes, eventBytes, namespace } = await bytesOf(blobs, sessionUid, signal);
    if (eventBytes > 0) events.set(namespace, eventBytes + (events.get(namespace) ?? 0));
    if (bytes > 0) measured.set(sessionUid, { place: { sessionUid, namespace }, bytes, settledBefore: undefined });
  }
  return { measured, events };
}

/** What a session has in the store, by one list of it; the namespace is empty without a record. */
async function bytesOf(
  blobs: Pick<BlobStore, "list">,
  sessionUid: string,
  signal: AbortSignal | undefined,
): Promise<{ bytes: number; eventBytes: number; namespace: string }> {
  const found = { bytes: 0, eventBytes: 0, namespace: "" };
  for await (const { key, size } of blobs.list(`${sessionUid}/`, signal ? { signal } : {})) {
    const namespace = placeIn(key);
    if (namespace !== undefined) found.namespace = namespace;
    else if (isEvents(key)) found.eventBytes += size + eventBlobOverhead;
    else found.bytes += size;
  }
  return found;
}
