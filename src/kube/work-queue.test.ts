import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FakeClock } from "../lib/fake-clock.ts";
import { WorkQueue } from "./work-queue.ts";

function aQueue(groupOf?: (key: string) => string): { queue: WorkQueue; clock: FakeClock; takeAll: () => string[] } {
  const clock = new FakeClock();
  const backoff = { baseMs: 100, maxMs: 1_000 };
  const queue = new WorkQueue({ clock, random: { fraction: () => 1 }, backoff, groupOf, onReady: () => undefined });
  function takeAll(): string[] {
    const keys: string[] = [];
    for (let next = queue.take(); next; next = queue.take()) keys.push(next.key);
    return keys;
  }
  return { queue, clock, takeAll };
}

describe("adding", () => {
  it("keeps the order and each key once", () => {
    const { queue, takeAll } = aQueue();
    for (const key of ["b", "a", "b"]) queue.add(key);
    expect(queue.length).toBe(2);
    expect(takeAll()).toEqual(["b", "a"]);
  });

  it("gives a key to one worker at a time, and once more when it was added meanwhile", () => {
    const { queue, takeAll } = aQueue();
    queue.add("a");
    expect(takeAll()).toEqual(["a"]);
    queue.add("a");
    queue.add("a");
    expect(takeAll()).toEqual([]);
    queue.done("a");
    expect(takeAll()).toEqual(["a"]);
    queue.done("a");
    expect(takeAll()).toEqual([]);
  });

  it("says how long a key waited", () => {
    const { queue, clock } = aQueue();
    queue.add("a");
    clock.advance(70);
    expect(queue.take()).toEqual({ key: "a", waitedMs: 70 });
  });
});

describe("timers", () => {
  it("add a key at its instant and not before", () => {
    const { queue, clock, takeAll } = aQueue();
    queue.addAfter("a", 1_000);
    clock.advance(999);
    expect(takeAll()).toEqual([]);
    clock.advance(1);
    expect(takeAll()).toEqual(["a"]);
  });

  it.each([
    { name: "later", secondMs: 2_000 },
    { name: "earlier", secondMs: 500 },
  ])("keep the earlier instant when a $name one comes", ({ secondMs }) => {
    const { queue, clock, takeAll } = aQueue();
    queue.addAfter("a", 1_000);
    queue.addAfter("a", secondMs);
    clock.advance(Math.min(1_000, secondMs));
    expect(takeAll()).toEqual(["a"]);
    queue.done("a");
    clock.advance(5_000);
    expect(takeAll()).toEqual([]);
  });

  it("are forgotten when the key is worked on anyway", () => {
    const { queue, clock, takeAll } = aQueue();
    queue.addAfter("a", 1_000);
    queue.add("a");
    expect(takeAll()).toEqual(["a"]);
    queue.done("a");
    expect(clock.timers).toBe(0);
  });
});

describe("retrying", () => {
  it("waits longer each time, until it is forgotten", () => {
    const { queue, clock, takeAll } = aQueue();
    const waits = [];
    for (let failure = 0; failure < 6; failure += 1) {
      const startMs = clock.monotonicMs();
      queue.retry("a");
      while (queue.length === 0) clock.advance(1);
      waits.push(clock.monotonicMs() - startMs);
      takeAll();
      queue.done("a");
      if (failure === 4) queue.forget("a");
    }
    expect(waits).toEqual([100, 200, 400, 800, 1_000, 100]);
  });

  it("waits at least as long as the caller asks", () => {
    const { queue, clock } = aQueue();
    queue.retry("a", 3_000);
    clock.advance(2_999);
    expect(queue.length).toBe(0);
    clock.advance(1);
    expect(queue.length).toBe(1);
  });
});

describe("groups", () => {
  it("have one key out at a time, and others pass by", () => {
    const { queue, takeAll } = aQueue((key) => key.charAt(0));
    for (const key of ["a1", "a2", "b1"]) queue.add(key);
    expect(takeAll()).toEqual(["a1", "b1"]);
    queue.done("a1");
    expect(takeAll()).toEqual(["a2"]);
  });

  it("never overlap and lose nothing, whatever happens in whatever order", () => {
    const step = fc.record({
      key: fc.constantFrom("a1", "a2", "b1", "b2", "c1"),
      act: fc.constantFrom("add", "take", "done"),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { queue } = aQueue((key) => key.charAt(0));
        const owed = new Set<string>();
        const out: string[] = [];
        function take(): boolean {
          const key = queue.take()?.key;
          if (key === undefined) return false;
          expect(out.map((other) => other.charAt(0))).not.toContain(key.charAt(0));
          out.push(key);
          owed.delete(key);
          return true;
        }
        function giveBack(): boolean {
          const key = out.shift();
          if (key !== undefined) queue.done(key);
          return key !== undefined;
        }
        for (const { key, act } of steps) {
          if (act === "take") take();
          else if (act === "done") giveBack();
          else {
            queue.add(key);
            owed.add(key);
          }
        }
        while (take() || giveBack());
        expect([...owed]).toEqual([]);
      }),
    );
  });
});

it("takes in nothing and keeps no timer once it is closed", () => {
  const { queue, clock, takeAll } = aQueue();
  queue.add("a");
  queue.addAfter("b", 100);
  queue.close();
  queue.add("c");
  queue.addAfter("d", 100);
  expect([takeAll(), clock.timers]).toEqual([[], 0]);
});
