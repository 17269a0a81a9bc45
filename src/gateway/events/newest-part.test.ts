import { beforeEach, expect, it } from "vitest";

import { positionText } from "../../api/runtime/event-position.ts";
import { EventReader } from "./event-reader.ts";
import { FakeStore } from "./fake-store.ts";
import { beginOfPart } from "./newest-part.ts";
import { segmentKey, segmentLine } from "./segments.ts";

const uid = "11111111-2222-3333-4444-555555555555";
const { signal } = new AbortController();
let store: FakeStore;
beforeEach(() => (store = new FakeStore()));

/** Bytes of an event in a segment, whatever its numbers below 10 are. */
const lineBytes = lineOf(1, 1).length;

function lineOf(attempt: number, seq: number): Buffer {
  return segmentLine({ attempt, seq, time: "2026-05-04T10:15:00.000Z", event: { kind: "ready" } });
}

function keep(attempt: number, seqs: readonly number[], writer = "w"): void {
  const lines = Buffer.concat(seqs.map((seq) => lineOf(attempt, seq)));
  store.blobs.set(segmentKey(uid, { attempt, seq: seqs[0]! }, writer), lines);
}

/** The part as a stream sends it: its events, and where it begins if there are older ones. */
async function partOf(bytes: number, before?: string): Promise<{ begin: string | undefined; events: string[] }> {
  const [attempt = 0, seq = 0] = (before ?? "").split(".").map(Number);
  const end = before === undefined ? undefined : { attempt, seq };
  const begin = await beginOfPart(store, uid, { bytes, before: end }, signal);
  const events: string[] = [];
  const reader = new EventReader(store, uid, begin && { ...begin, seq: begin.seq - 1 });
  for await (const event of reader.read(signal)) {
    if (end && (event.attempt > end.attempt || (event.attempt === end.attempt && event.seq >= end.seq))) break;
    events.push(positionText(event));
  }
  return { begin: begin && positionText(begin), events };
}

/** All parts, the newest last, each as large as asked. */
async function allParts(bytes: number): Promise<string[][]> {
  const parts: string[][] = [];
  let before: string | undefined;
  do {
    const { begin, events } = await partOf(bytes, before);
    parts.unshift(events);
    before = begin;
  } while (before !== undefined);
  return parts;
}

it.each([
  { segments: 1, more: -1, want: ["1.5"] },
  { segments: 1, more: 0, want: ["1.5"] },
  { segments: 1, more: 1, want: ["1.5"] },
  { segments: 2, more: -1, want: ["1.5"] },
  { segments: 2, more: 0, want: ["1.4", "1.5"] },
  { segments: 2, more: 1, want: ["1.4", "1.5"] },
  { segments: 4, more: 0, want: ["1.2", "1.3", "1.4", "1.5"] },
  { segments: 5, more: 0, want: ["1.1", "1.2", "1.3", "1.4", "1.5"] },
  { segments: 6, more: 0, want: ["1.1", "1.2", "1.3", "1.4", "1.5"] },
])("has what fits into the bytes of $segments segments and $more", async ({ segments, more, want }) => {
  for (const seq of [1, 2, 3, 4, 5]) keep(1, [seq]);
  const { begin, events } = await partOf(segments * lineBytes + more);
  expect(events).toEqual(want);
  expect(begin).toBe(want.length === 5 ? undefined : want[0]);
});

it("has at least one segment, however large", async () => {
  keep(1, [1]);
  keep(1, [2, 3, 4]);
  expect(await partOf(1)).toEqual({ begin: "1.2", events: ["1.2", "1.3", "1.4"] });
});

it("of nothing has nothing", async () => {
  expect(await partOf(1_000)).toEqual({ begin: undefined, events: [] });
});

it.each([1, lineBytes, 2 * lineBytes, 3 * lineBytes, 5 * lineBytes, 100 * lineBytes])(
  "meets the parts before it without a gap and without a double, %d bytes each",
  async (bytes) => {
    keep(1, [1, 2, 3]);
    keep(1, [4]);
    keep(2, [1, 2]);
    keep(2, [4, 5]);
    keep(4, [1]);
    const parts = await allParts(bytes);
    expect(parts.flat()).toEqual(["1.1", "1.2", "1.3", "1.4", "2.1", "2.2", "2.4", "2.5", "4.1"]);
    expect(parts.every((events) => events.length > 0)).toBe(true);
  },
);

it.each([1, 3 * lineBytes, 5 * lineBytes, 100 * lineBytes])(
  "meets them where two gateways stored the same events, %d bytes each",
  async (bytes) => {
    keep(1, [1, 2, 3, 4, 5], "a");
    keep(1, [1, 2], "b");
    keep(1, [3, 4, 5, 6, 7], "c");
    keep(1, [3, 4], "d");
    keep(1, [5, 6, 7, 8], "d");
    expect((await allParts(bytes)).flat()).toEqual(["1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "1.7", "1.8"]);
  },
);

it("says that there are no older ones where only the same ones come before", async () => {
  keep(1, [1, 2], "a");
  keep(1, [1, 2, 3], "b");
  expect(await partOf(1)).toEqual({ begin: undefined, events: ["1.1", "1.2", "1.3"] });
});

it("ends before the event that it is asked for, wherever that is", async () => {
  keep(1, [1, 2, 3]);
  keep(1, [4, 5]);
  expect((await partOf(1_000, "1.1")).events).toEqual([]);
  expect((await partOf(1_000, "1.3")).events).toEqual(["1.1", "1.2"]);
  expect((await partOf(1_000, "1.4")).events).toEqual(["1.1", "1.2", "1.3"]);
  expect((await partOf(1, "1.5")).events).toEqual(["1.4"]);
  expect((await partOf(1_000, "3.1")).events).toEqual(["1.1", "1.2", "1.3", "1.4", "1.5"]);
});
