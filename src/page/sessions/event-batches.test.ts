import { beforeEach, expect, it } from "vitest";
import type { SessionEvent } from "../api.ts";
import { inBatches, type Place } from "./event-batches.ts";

const event = (seq: number): SessionEvent => ({
  attempt: 1,
  seq,
  time: "2026-03-31T12:00:00Z",
  event: { kind: "ready" },
});
let place: Place;
let stop: AbortController;
/** What was given, as the sequence numbers of each batch. */
let given: (number[] | string)[];
let due: (() => void)[];

beforeEach(() => {
  place = { after: undefined, hasEnded: false };
  stop = new AbortController();
  [given, due] = [[], []];
});

function begin() {
  const clock = {
    after: (_ms: number, run: () => void) => {
      due.push(run);
      return () => undefined;
    },
  };
  const to = {
    open: () => void given.push("open"),
    older: (before: string) => void given.push(`older than ${before}`),
    events: (events: readonly SessionEvent[]) => void given.push(events.map(({ seq }) => seq)),
  };
  return inBatches(place, stop.signal, to, clock);
}
const pass = (): void => due.splice(0).forEach((run) => run());

it("gives what comes together at once, and goes on after the last of it", () => {
  const sink = begin();
  sink.open();
  sink.event(event(1), "1.1");
  sink.event(event(2), "1.2");
  expect([given, place.after]).toEqual([["open"], undefined]);
  pass();
  sink.event(event(3), undefined);
  pass();
  expect([given, place.after]).toEqual([["open", [1, 2], [3]], "1.2"]);
});

it("goes on before an event that waited when it was stopped", () => {
  const sink = begin();
  sink.event(event(1), "1.1");
  pass();
  sink.event(event(2), "1.2");
  stop.abort();
  pass();
  expect([given, place.after]).toEqual([[[1]], "1.1"]);
});

it("gives what waits at the end, after which nothing comes", () => {
  const sink = begin();
  sink.event(event(1), "1.1");
  sink.end();
  expect([given, place]).toEqual([[[1]], { after: "1.1", hasEnded: true }]);
});

it("says at once that there are older ones", () => {
  const sink = begin();
  sink.older("1.7");
  sink.event(event(7), "1.7");
  expect(given).toEqual(["older than 1.7"]);
  pass();
  expect(given).toEqual(["older than 1.7", [7]]);
});

it("says nothing of a stream that was stopped", () => {
  const sink = begin();
  stop.abort();
  sink.open();
  sink.older("1.7");
  sink.end();
  expect([given, place]).toEqual([[], { after: undefined, hasEnded: false }]);
});
