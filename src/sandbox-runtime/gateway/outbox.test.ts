import { expect, it } from "vitest";
import { protocolLimits } from "../../api/runtime/limits.ts";
import { Outbox, type Unnumbered } from "./outbox.ts";

const event: Unnumbered = { type: "event", event: { kind: "bootProgress", phase: "clone" } };
const seqs = (outbox: Outbox): number[] => outbox.waiting.map(({ seq }) => seq);

it("numbers messages from 1 and keeps them until they are acknowledged", () => {
  const outbox = new Outbox(0);
  for (let count = 0; count < 3; count += 1) outbox.add({ type: "ready" }, 0);
  expect(seqs(outbox)).toEqual([1, 2, 3]);
  outbox.acknowledge(2);
  expect(seqs(outbox)).toEqual([3]);
  outbox.acknowledge(1);
  outbox.acknowledge(0);
  expect(seqs(outbox)).toEqual([3]);
});

it("forgets nothing for a number that it never gave", () => {
  const outbox = new Outbox(0);
  outbox.add({ type: "ready" }, 0);
  outbox.acknowledge(2);
  expect(seqs(outbox)).toEqual([1]);
});

it("drops events when it is full, keeps a place for reports, and never has more waiting than the gateway takes", () => {
  const outbox = new Outbox(0);
  const added = Array.from({ length: 1_000 }, (_, second) => outbox.add(event, second * 1000)).flat();
  expect(added).toHaveLength(protocolLimits.unacknowledged - 32);
  expect(outbox.dropped).toBe(1_000 - added.length);
  for (let count = 0; count < 32; count += 1) expect(outbox.add({ type: "ready" }, 0)).toHaveLength(1);
  expect(outbox.waiting).toHaveLength(protocolLimits.unacknowledged);
  outbox.acknowledge(100);
  const [told, next] = outbox.add(event, 1e9);
  const message = `${outbox.dropped} events are not shown here: they came faster than the gateway takes them`;
  expect(told).toMatchObject({ type: "event", event: { kind: "warning", scope: "output", message } });
  expect(next).toMatchObject(event);
  expect(outbox.add(event, 1e9)).toHaveLength(1);
});

it("has a place for every report: the oldest events give way, then the oldest reports", () => {
  const outbox = new Outbox(0);
  const most = protocolLimits.unacknowledged;
  const events = most - 32;
  for (let second = 0; second < events; second += 1) outbox.add(event, second * 1_000);
  const report = (): void => expect(outbox.add({ type: "ready" }, 0)).toHaveLength(1);
  const range = (from: number, to: number): number[] =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index);
  for (let count = 0; count < 31; count += 1) report();
  expect(seqs(outbox)).toEqual(range(1, most - 1));
  report();
  expect(seqs(outbox)).toEqual(range(1, most));
  report();
  expect(seqs(outbox)).toEqual(range(2, most + 1));
  for (let count = 0; count < events; count += 1) report();
  expect(seqs(outbox)).toEqual(range(events + 2, most + events + 1));
  expect(outbox.waiting.every(({ type }) => type === "ready")).toBe(true);
  expect(outbox.dropped).toBe(events + 1);
});

it("lets events give way before reports that are older", () => {
  const outbox = new Outbox(0);
  outbox.add({ type: "ready" }, 0);
  outbox.add(event, 0);
  for (let count = 0; count < protocolLimits.unacknowledged; count += 1) outbox.add({ type: "ready" }, 0);
  expect(seqs(outbox).slice(0, 2)).toEqual([3, 4]);
});

it("drops events that come faster than the gateway would take them, but no report", () => {
  const outbox = new Outbox(0);
  const added = (nowMs: number): number => {
    const before = outbox.waiting.length;
    for (let count = 0; count < 1_000; count += 1) outbox.add(event, nowMs);
    const after = outbox.waiting.length;
    outbox.acknowledge(1e9);
    outbox.acknowledge(outbox.waiting.at(-1)?.seq ?? 0);
    return after - before;
  };
  expect(added(0)).toBe(protocolLimits.events.burst);
  expect(added(1_000)).toBe(protocolLimits.events.perSecond);
  expect(outbox.add({ type: "ready" }, 1_000)).toHaveLength(1);
  // A report says it, too.
  expect(outbox.add({ type: "ready" }, 2_000)).toMatchObject([{ type: "event" }, { type: "ready" }]);
});
