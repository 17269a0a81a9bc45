import { setImmediate as turn } from "node:timers/promises";

import { expect, it } from "vitest";

import type { EventsLeftOut } from "../../api/runtime/events-left-out.ts";
import type { EventPosition } from "../../api/runtime/event-position.ts";
import type { SessionEvent } from "../../api/runtime/session-event.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import type { Attempt } from "../attempts/attempt.ts";
import { EventReader } from "./event-reader.ts";
import { FakeStore } from "./fake-store.ts";
import type { SharedRoom } from "./event-quota.ts";
import { Journal } from "./journal.ts";
import { eventLimits, eventTimes } from "./limits.ts";
import { segmentKey, segmentLine } from "./segments.ts";

const uid = "11111111-2222-3333-4444-555555555555";

it("stores events in order and says how far it is", async () => {
  const { journal, store, told } = aJournal();
  for (const seq of [1, 2, 3]) journal.add(seq, said(`line ${seq}`));
  await settled();
  expect(await textsIn(store)).toEqual(["line 1", "line 2", "line 3"]);
  expect(journal.storedTo).toBe(3);
  expect(told()).toBeGreaterThan(0);
});

it("passes a number of which nothing is to be stored", async () => {
  const { journal, store, clock } = aJournal();
  journal.add(1, undefined);
  await settled();
  expect([journal.storedTo, store.puts.filter(isSegment)]).toEqual([1, []]);
  journal.add(2, said("a"));
  journal.add(3, undefined);
  await pass(clock, eventTimes.writeMs);
  expect([await textsIn(store), journal.storedTo]).toEqual([["a"], 3]);
});

it("writes once a second what comes in the meantime, into one segment", async () => {
  const { journal, store, clock } = aJournal();
  journal.add(1, said("a"));
  await settled();
  journal.add(2, said("b"));
  journal.add(3, said("c"));
  clock.advance(eventTimes.writeMs - 1);
  await settled();
  expect(journal.storedTo).toBe(1);
  clock.advance(1);
  await settled();
  expect(journal.storedTo).toBe(3);
  expect(store.puts.filter(isSegment)).toHaveLength(2);
  expect([...store.blobs.keys()].filter(isSegment)).toHaveLength(1);
});

it("records the namespace of the session before it stores anything, also when that fails at first", async () => {
  const { journal, store, clock } = aJournal();
  const put = store.put.bind(store);
  store.put = () => {
    store.put = put;
    return Promise.reject(new Error("away"));
  };
  journal.add(1, said("a"));
  await pass(clock, eventTimes.retryMs.longest);
  expect(journal.storedTo).toBe(1);
  expect(store.puts).toEqual([`${uid}/namespace/n`, expect.stringMatching(/\/events\//)]);
});

it("records it once for a session, however often its runtime reconnects", async () => {
  const store = new FakeStore();
  for (const seq of [1, 2]) {
    const { journal } = aJournal({ store, writer: `w${seq}`, storedTo: seq - 1 });
    journal.add(seq, said("a"));
    await settled();
  }
  expect(store.puts.map((key) => key.split("/")[1])).toEqual(["namespace", "events", "events"]);
});

it.each([
  { count: eventLimits.waitingEvents - 1, want: 1 },
  { count: eventLimits.waitingEvents, want: 1 + eventLimits.waitingEvents },
])("writes at once what many events have become: $count", async ({ count, want }) => {
  const { journal } = aJournal();
  journal.add(1, said("first"));
  await settled();
  for (let seq = 2; seq < 2 + count; seq += 1) journal.add(seq, said("more"));
  await settled();
  expect(journal.storedTo).toBe(want);
});

it("settles when the events are stored, and no later", async () => {
  const { journal, clock } = aJournal();
  journal.add(1, said("a"));
  await settled();
  journal.add(2, { kind: "ready" });
  let isSettled = false;
  void journal.settle(2).then(() => (isSettled = true));
  await settled();
  expect({ isSettled, storedTo: journal.storedTo, timers: clock.timers }).toEqual({
    isSettled: true,
    storedTo: 2,
    timers: 0,
  });
});

it("settles after a time limit when the store does not answer, and stores the events later", async () => {
  const { journal, store, clock, failures } = aJournal();
  store.failures.push(...Array.from({ length: 100 }, () => new Error("away")));
  journal.add(1, { kind: "ready" });
  let isSettled = false;
  void journal.settle(1).then(() => (isSettled = true));
  await pass(clock, eventTimes.reportMs - 1);
  expect(isSettled).toBe(false);
  await pass(clock, 1);
  expect(isSettled).toBe(true);
  expect(journal.storedTo).toBe(0);
  expect(failures()).toBeGreaterThan(1);
  store.failures.length = 0;
  await pass(clock, eventTimes.retryMs.longest);
  expect(journal.storedTo).toBe(1);
  expect((await eventsIn(store)).map(({ event }) => event.kind)).toEqual(["ready"]);
});

it("lets only the first one wait while the store does not answer", async () => {
  const { journal, store, clock } = aJournal();
  store.failures.push(...Array.from({ length: 100 }, () => new Error("away")));
  let isSettled = false;
  const report = async (seq: number): Promise<boolean> => {
    journal.add(seq, { kind: "ready" });
    isSettled = false;
    void journal.settle(seq).then(() => (isSettled = true));
    await settled();
    return isSettled;
  };
  expect(await report(1)).toBe(false);
  await pass(clock, eventTimes.reportMs);
  expect(await report(2)).toBe(true);
  store.failures.length = 0;
  await pass(clock, eventTimes.retryMs.longest);
  expect(journal.storedTo).toBe(2);
  store.failures.push(new Error("away"), new Error("away"));
  expect(await report(3)).toBe(false);
});

it("tries again just what failed, and adds nothing to a segment that may be stored late", async () => {
  const { journal, store, clock } = aJournal();
  journal.add(1, said("one"));
  await settled();
  const tries: [key: string, content: Buffer][] = [];
  store.beforePut = (...write) => {
    tries.push(write);
    if (tries.length < 3) throw new Error("timed out");
  };
  journal.add(2, said("two"));
  await pass(clock, eventTimes.writeMs);
  journal.add(3, said("three"));
  for (let passed = 0; passed < 3; passed += 1) await pass(clock, eventTimes.retryMs.longest);
  expect(journal.storedTo).toBe(3);
  expect(tries[1]).toEqual(tries[0]);
  // What failed is stored all the same, whenever.
  for (const [key, content] of tries.slice(0, 2)) store.blobs.set(key, content);
  expect(await textsIn(store)).toEqual(["one", "two", "three"]);
});

it("stores an event that comes again once", async () => {
  const { journal, store } = aJournal();
  for (const seq of [1, 2, 1, 2, 3]) journal.add(seq, said(`line ${seq}`));
  await settled();
  expect(await textsIn(store)).toEqual(["line 1", "line 2", "line 3"]);
});

it("leaves out what another connection has stored, though it was not acknowledged", async () => {
  const store = new FakeStore();
  const first = aJournal({ store, writer: "a" });
  for (const seq of [1, 2, 3]) first.journal.add(seq, said(`line ${seq}`));
  await settled();
  first.end();
  const second = aJournal({ store, writer: "b", storedTo: 1 });
  for (const seq of [2, 3, 4]) second.journal.add(seq, said(`line ${seq}`));
  await settled();
  expect(second.journal.storedTo).toBe(4);
  expect([...store.blobs.values()].join("").match(/line 3/g)).toHaveLength(1);
  expect(await textsIn(store)).toEqual(["line 1", "line 2", "line 3", "line 4"]);
});

it("keeps the attempts of a session apart and in order", async () => {
  const store = new FakeStore();
  for (const attempt of [1, 2, 10]) {
    aJournal({ store, attempt }).journal.add(1, said(`attempt ${attempt}`));
    await settled();
  }
  expect(await textsIn(store)).toEqual(["attempt 1", "attempt 2", "attempt 10"]);
});

it("begins another segment where one is full", async () => {
  const { journal, store, clock } = aJournal();
  const half = "x".repeat(eventLimits.segmentBytes / 2);
  for (const seq of [1, 2, 3]) {
    journal.add(seq, said(half));
    await pass(clock, eventTimes.writeMs);
  }
  expect([...store.blobs.keys()].filter(isSegment)).toHaveLength(3);
  expect(await textsIn(store)).toEqual([half, half, half]);
});

it("keeps how boots and prompts went when there is no room for more, and says so once", async () => {
  const store = new FakeStore();
  store.blobs.set(`${uid}/events/0000001-0000000000000001-old`, Buffer.alloc(eventLimits.sessionBytes - 8_192, "\n"));
  const { journal } = aJournal({ store, attempt: 2 });
  journal.add(1, said("fits"));
  journal.add(2, said("x".repeat(4_096)));
  journal.add(3, said("too much"));
  journal.add(4, said("too much"));
  journal.add(5, { kind: "ready" });
  await settled();
  expect(journal.storedTo).toBe(5);
  store.blobs.delete(`${uid}/events/0000001-0000000000000001-old`);
  const kinds = (await eventsIn(store)).map(({ seq, event }) => `${seq} ${event.kind}`);
  expect(kinds).toEqual(["1 output", "2 output", "3 dropped", "5 ready"]);
});

it("stores nothing more when its connection is gone", async () => {
  const { journal, store, end } = aJournal();
  end();
  journal.add(1, said("late"));
  await settled();
  expect(store.blobs.size).toBe(0);
  await journal.settle(1);
});

it("reads on behind any event, also in a segment that grows", async () => {
  const { journal, store, clock } = aJournal();
  const half = "x".repeat(eventLimits.segmentBytes / 2);
  const live = new EventReader(store, uid);
  const seen: number[] = [];
  for (let seq = 1; seq <= 12; seq += 1) {
    journal.add(seq, said(seq % 4 === 0 ? half : "short"));
    await pass(clock, eventTimes.writeMs);
    for await (const event of live.read(new AbortController().signal)) seen.push(event.seq);
  }
  expect(seen).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
  for (let from = 0; from <= 12; from += 1) {
    const rest = await eventsIn(store, { attempt: 1, seq: from });
    expect(rest.map(({ seq }) => seq)).toEqual(seen.slice(from));
  }
});

it.each([
  { name: "from the beginning", begins: 0, want: ["1.1", "2.1", "1.2", "2.2", "1.3", "1.4"] },
  { name: "behind an event of the newer one", begins: 2, want: ["1.2", "2.2", "1.3", "1.4"] },
])("gives events that an earlier sandbox stores late to a reader that began $name", async ({ begins, want }) => {
  const store = new FakeStore();
  const journals = [1, 2].map((attempt) => aJournal({ store, attempt }));
  let live = new EventReader(store, uid);
  const seen: string[] = [];
  for (const [index, attempt] of [1, 2, 1, 2, 1, 1].entries()) {
    const { journal, clock } = journals[attempt - 1]!;
    // Three fill a segment.
    journal.add(journal.storedTo + 1, said("x".repeat(eventLimits.segmentBytes / 3)));
    await pass(clock, eventTimes.writeMs);
    for await (const event of live.read(new AbortController().signal)) seen.push(`${event.attempt}.${event.seq}`);
    if (index + 1 !== begins) continue;
    live = new EventReader(store, uid, live.position);
    await live.read(new AbortController().signal).next();
    seen.length = 0;
  }
  expect(seen).toEqual(want);
  expect(live.position).toMatchObject({ attempt: 2, seq: 2 });
  // Who reads later has them in order.
  const later = (await eventsIn(store)).map((event) => `${event.attempt}.${event.seq}`);
  expect(later).toEqual(["1.1", "1.2", "1.3", "1.4", "2.1", "2.2"]);
});

it("gives what an earlier sandbox stores while the newer one's events are read", async () => {
  const store = new FakeStore();
  const keep = (attempt: number, seq: number): void => {
    const line = segmentLine({ attempt, seq, time: "2026-05-04T10:15:00.000Z", event: said("text") });
    store.blobs.set(segmentKey(uid, { attempt, seq }, "w"), line);
  };
  const live = new EventReader(store, uid);
  const look = async (): Promise<number[]> => {
    const seqs: number[] = [];
    for await (const { seq } of live.read(new AbortController().signal)) seqs.push(seq);
    return seqs;
  };
  keep(1, 1);
  keep(2, 1);
  expect(await look()).toEqual([1, 1]);
  keep(1, 2);
  expect(await look()).toEqual([2]);
  const list = store.list.bind(store);
  let lists = 0;
  store.list = (...asked) => {
    lists += 1;
    if (lists === 2) keep(1, 3);
    return list(...asked);
  };
  expect([await look(), await look()]).toEqual([[], [3]]);
});

it("reads each event once where two gateways stored the same ones", async () => {
  const store = new FakeStore();
  const both = { attempt: 1, time: "2026-05-04T10:15:00.000Z" };
  const segment = (...seqs: number[]): Buffer =>
    Buffer.from(seqs.map((seq) => `${JSON.stringify({ ...both, seq, event: said(`line ${seq}`) })}\n`).join(""));
  store.blobs.set(`${uid}/events/0000001-0000000000000001-a`, segment(1, 2, 3, 4, 5));
  store.blobs.set(`${uid}/events/0000001-0000000000000003-b`, segment(3, 4, 5, 6, 7));
  for (let from = 0; from <= 7; from += 1) {
    const rest = await eventsIn(store, { attempt: 1, seq: from });
    expect(rest.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7].slice(from));
  }
});

it("keeps to what namespaces share, says so once in the stream, and goes on when there is room again", async () => {
  const asked: string[] = [];
  const refused: string[] = [];
  const told: string[] = [];
  let added = 0;
  let isFull = false;
  const shared = (namespace: string): SharedRoom => {
    asked.push(namespace);
    return {
      full: (isEssential) =>
        isFull && !isEssential ? { bound: "namespace", message: "namespace n has no more" } : undefined,
      add: (bytes) => void (added += bytes),
      refused: (bound) => void refused.push(bound),
    };
  };
  const leftOut = ({ session }: Attempt, { bound }: EventsLeftOut): void => void told.push(`${session} ${bound}`);
  const { journal, store, clock } = aJournal({ shared, leftOut });
  const say = async (event: SessionEvent["event"]): Promise<void> => {
    journal.add(journal.storedTo + 1, event);
    await pass(clock, eventTimes.writeMs);
  };
  await say(said("a"));
  isFull = true;
  for (const text of ["b", "c"]) await say(said(text));
  await say({ kind: "ready" });
  isFull = false;
  await say(said("d"));
  const kept = (await eventsIn(store)).map(({ event }) => (event.kind === "output" ? event.text : event.kind));
  expect(kept).toEqual(["a", "dropped", "ready", "d"]);
  expect([asked, refused, told]).toEqual([["n"], ["namespace", "namespace"], ["s namespace"]]);
  const bytes = [...store.blobs].filter(([key]) => isSegment(key)).map(([, content]) => content.length);
  expect(added).toBe(bytes.reduce((sum, one) => sum + one + eventLimits.segmentOverhead, 0));
});

function isSegment(key: string): boolean {
  return key.startsWith(`${uid}/events/`);
}

function said(text: string): SessionEvent["event"] {
  return { kind: "output", source: "agent", stream: "stdout", text };
}

function aJournal({
  store = new FakeStore(),
  attempt = 1,
  storedTo = 0,
  writer = "w",
  shared = undefined as ((namespace: string) => SharedRoom) | undefined,
  leftOut = undefined as ((attempt: Attempt, why: EventsLeftOut) => void) | undefined,
} = {}) {
  const clock = new FakeClock();
  const ending = new AbortController();
  let told = 0;
  let failures = 0;
  const journal = new Journal(
    { store, clock, writer, shared, leftOut },
    {
      attempt: { sessionUid: uid, attempt, namespace: "n", session: "s", name: "a" },
      storedTo,
      stored: () => (told += 1),
      failed: () => (failures += 1),
      signal: ending.signal,
    },
  );
  return { journal, store, clock, told: () => told, failures: () => failures, end: () => ending.abort() };
}

/** Everything that needs no time has happened. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 50; turns += 1) await turn();
}

async function pass(clock: FakeClock, ms: number): Promise<void> {
  await settled();
  clock.advance(ms);
  await settled();
}

async function eventsIn(store: FakeStore, after?: EventPosition): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for await (const event of new EventReader(store, uid, after).read(new AbortController().signal)) events.push(event);
  return events;
}

async function textsIn(store: FakeStore): Promise<string[]> {
  return (await eventsIn(store)).map(({ event }) => (event.kind === "output" ? event.text : event.kind));
}
