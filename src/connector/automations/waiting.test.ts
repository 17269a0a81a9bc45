import { expect, it } from "vitest";

import type { IntegrationEvent } from "../../api/v1alpha1/index.ts";
import { keyOf } from "../../lib/resource.ts";
import { Waiting } from "./waiting.ts";

function event(name: string, second: number): IntegrationEvent {
  const receivedTime = `2026-05-04T10:15:0${second}Z`;
  return { metadata: { namespace: "shop", name }, spec: { receivedTime } } as unknown as IntegrationEvent;
}
const [oldest, older, newest] = [event("z", 1), event("a", 2), event("b", 2)];

it("the oldest event has the next place, and of the same time the first by name", () => {
  const waiting = new Waiting();
  for (const one of [newest, oldest, older, oldest]) waiting.add("u1", one);
  expect(waiting.first("u1", 2)).toEqual([keyOf(oldest), keyOf(older)]);
  expect(waiting.first("u1", -1)).toEqual([]);
  expect([oldest, older, newest].map((one) => waiting.before("u1", one))).toEqual([0, 1, 2]);
  expect(waiting.before("u1", event("c", 3))).toBe(3);
});

it("an event waits for each Automation on its own, until it is dropped there or everywhere", () => {
  const waiting = new Waiting();
  for (const uid of ["u1", "u2", "u3"]) waiting.add(uid, oldest);
  waiting.drop(keyOf(oldest), "u1");
  expect(["u1", "u2"].map((uid) => waiting.first(uid, 9).length)).toEqual([0, 1]);
  waiting.forget("u2");
  waiting.drop(keyOf(oldest));
  expect(["u2", "u3"].map((uid) => waiting.before(uid, newest))).toEqual([0, 0]);
});

it("an event that comes late waits before those that were received after it, and one that is dropped before none", () => {
  const waiting = new Waiting();
  for (const one of [newest, older, oldest]) waiting.add("u1", one);
  waiting.drop(keyOf(older), "u1");
  waiting.drop(keyOf(older), "u1");
  expect([oldest, older, newest].map((one) => waiting.before("u1", one))).toEqual([0, 1, 1]);
  expect(waiting.first("u1", 9)).toEqual([keyOf(oldest), keyOf(newest)]);
  expect([oldest, older].map((one) => waiting.has("u1", one))).toEqual([true, false]);
});

// Each event that waits asks every 10 seconds; with a look through all of them this would take minutes.
it("an event finds its place among 60,000 without a look through all of them", () => {
  const waiting = new Waiting();
  const events = Array.from({ length: 60_000 }, (_, at) => {
    const receivedTime = new Date(Date.UTC(2026, 4, 4) + at).toISOString();
    return { metadata: { namespace: "shop", name: `e-${at}` }, spec: { receivedTime } } as unknown as IntegrationEvent;
  });
  for (const one of events) waiting.add("u1", one);
  expect(events.every((one, at) => waiting.before("u1", one) === at)).toBe(true);
}, 20_000);
