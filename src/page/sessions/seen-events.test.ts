import { beforeEach, expect, it } from "vitest";
import type { SessionEvent } from "../api.ts";
import { SeenEvents } from "./seen-events.ts";

let seen: SeenEvents;
beforeEach(() => (seen = new SeenEvents()));

function events(...positions: string[]): SessionEvent[] {
  return positions.map((position) => {
    const [attempt = 0, seq = 0] = position.split(".").map(Number);
    return { attempt, seq, time: "2026-03-31T12:00:00Z", event: { kind: "ready" } };
  });
}
const stream = (...positions: string[]): string[] => told(seen.ofStream(events(...positions)));
const older = (...positions: string[]): string[] => told(seen.ofOlderPart(events(...positions)));
const told = (left: readonly SessionEvent[]): string[] => left.map(({ attempt, seq }) => `${attempt}.${seq}`);

it("leaves out nothing where nothing comes twice", () => {
  expect(stream("2.5", "2.6")).toEqual(["2.5", "2.6"]);
  expect(older("2.3", "2.4")).toEqual(["2.3", "2.4"]);
  expect(older("1.1", "1.2", "2.1", "2.2")).toEqual(["1.1", "1.2", "2.1", "2.2"]);
  expect(stream("2.7", "3.1")).toEqual(["2.7", "3.1"]);
});

it("leaves out of an older part what came late before", () => {
  stream("2.5");
  expect(stream("1.8", "1.9")).toEqual(["1.8", "1.9"]);
  expect(older("1.7", "1.8", "1.9", "2.4")).toEqual(["1.7", "2.4"]);
});

it("leaves out of the stream what comes late after an older part had it", () => {
  stream("2.5");
  expect(older("1.7", "1.8", "2.4")).toEqual(["1.7", "1.8", "2.4"]);
  expect(stream("1.8", "1.9", "2.6")).toEqual(["1.9", "2.6"]);
  expect(older("1.6")).toEqual(["1.6"]);
});

it("takes late events of an attempt of which no older part had any", () => {
  stream("3.1");
  expect(older("1.9")).toEqual(["1.9"]);
  expect(stream("2.1")).toEqual(["2.1"]);
});
