import {
  type BlobEntry,
  type BlobStore,
  BlobTooLargeError,
  type ListOptions,
  type StoredBlob,
} from "../../blobs/blob-store.ts";
import { readBlob } from "../../blobs/content.ts";
import type { EventPosition } from "../../api/runtime/event-position.ts";
import { SessionEvent } from "../../api/runtime/session-event.ts";
import { parseJson } from "../http/parse-json.ts";
import { eventLimits } from "./limits.ts";

/**
 * A session's events are JSON lines in blobs `<session UID>/events/<attempt>-<first number>-<writer>`, so that the order of
 * keys is the order of events. Each connection of a runtime writes segments of its own and only adds to its newest one,
 * as {@link SegmentWriter} does. Segments of two gateways may overlap; readers skip repeated numbers.
 */
export interface Segment {
  key: string;
  attempt: number;
  /** Number of its first event. */
  first: number;
  /** Bytes. */
  size: number;
}

/** An event may exceed a segment's limit by a frame of 64 KiB; larger blobs were not written by a gateway. */
const mostSegmentBytes = 1_048_576;

function eventsPrefix(sessionUid: string): string {
  return `${sessionUid}/events/`;
}

export function segmentKey(sessionUid: string, { attempt, seq }: EventPosition, writer: string): string {
  return `${eventsPrefix(sessionUid)}${padded(attempt, 7)}-${padded(seq, 16)}-${writer}`;
}

/** The segments of a session after a key, in the order of their events. */
export async function* listSegments(
  store: Pick<BlobStore, "list">,
  sessionUid: string,
  options: ListOptions = {},
): AsyncGenerator<Segment> {
  for await (const entry of store.list(eventsPrefix(sessionUid), options)) {
    const segment = parseSegment(entry);
    if (segment) yield segment;
  }
}

/** The events of one segment; none when it was deleted or is too large. Skips lines that are no valid event. */
export async function readSegment(
  store: Pick<BlobStore, "get">,
  key: string,
  signal?: AbortSignal,
): Promise<SessionEvent[]> {
  const blob = await store.get(key, signal);
  if (!blob) return [];
  const text = await readText(blob);
  return text.split("\n").flatMap((line) => parseJson(SessionEvent, line) ?? []);
}

async function readText(blob: StoredBlob): Promise<string> {
  try {
    return (await readBlob(blob, mostSegmentBytes)).toString("utf8");
  } catch (error) {
    if (error instanceof BlobTooLargeError) return "";
    throw error;
  }
}

/** An event as a line of a segment. */
export function segmentLine(event: SessionEvent): Buffer {
  return Buffer.from(`${JSON.stringify(event)}\n`);
}

/** Bytes of a segment that count for the session's quota. */
export function weightOf({ size }: Pick<Segment, "size">): number {
  return size + eventLimits.segmentOverhead;
}

function parseSegment({ key, size }: BlobEntry): Segment | undefined {
  const match = /\/events\/(\d{7})-(\d{16})-[^/]+$/.exec(key);
  return match ? { key, attempt: Number(match[1]), first: Number(match[2]), size } : undefined;
}

function padded(number: number, digits: number): string {
  return String(number).padStart(digits, "0");
}
