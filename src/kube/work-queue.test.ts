import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FakeClock } from "../lib/fake-clock.ts";
import { WorkQueue, type WorkQueueOptions } from "./work-queue.ts";

function aQueue({ groupOf, sharerOf, places }: Pick<WorkQueueOptions, "groupOf" | "sharerOf" | "places"> = {}) {
  const clock = new FakeClock();
  const backoff = { baseMs: 100, maxMs: 1_000 };
  const random = { fraction: () => 1 };
  const queue = new WorkQueue({ clock, random, backoff, groupOf, sharerOf, places, onReady: () => undefined });
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
    const { queue, takeAll } = aQueue({ groupOf: (key) => key.charAt(0) });
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
        const { queue } = aQueue({ groupOf: (key) => key.charAt(0) });
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

describe("sharers", () => {
  const byNamespace = (key: string): string => key.split("/")[0] ?? "";

  it("take turns, however many keys one of them has", () => {
    const { queue, takeAll } = aQueue({ sharerOf: byNamespace });
    for (let at = 0; at < 1_000; at += 1) queue.add(`hostile/${at}`);
    for (const key of ["a/1", "b/1", "a/2"]) queue.add(key);
    expect(takeAll().slice(0, 6)).toEqual(["hostile/0", "a/1", "b/1", "hostile/1", "a/2", "hostile/2"]);
  });

  it("have as many keys out as are left, so that the next one finds a place at once", () => {
    const { queue, takeAll } = aQueue({ sharerOf: byNamespace, places: 8 });
    for (let at = 0; at < 100; at += 1) queue.add(`hostile/${at}`);
    expect(takeAll()).toHaveLength(4);
    queue.add("a/1");
    expect(takeAll()).toEqual(["a/1"]);
    queue.done("hostile/0");
    // Of 8 places 4 are free, of which it has 3.
    expect(takeAll()).toEqual(["hostile/4"]);
    queue.done("a/1");
    expect(takeAll()).toEqual([]);
  });

  it("have a key that was busy come back in their turn", () => {
    const { queue, takeAll } = aQueue({ sharerOf: byNamespace });
    queue.add("a/1");
    takeAll();
    for (const key of ["a/1", "hostile/1", "hostile/2", "a/1"]) queue.add(key);
    queue.done("a/1");
    expect(takeAll()).toEqual(["hostile/1", "a/1", "hostile/2"]);
  });

  it("have groups of their own", () => {
    const { queue, takeAll } = aQueue({ sharerOf: byNamespace, groupOf: (key) => key.slice(0, 3) });
    for (const key of ["a/x1", "a/x2", "a/y1", "b/x1"]) queue.add(key);
    expect(takeAll()).toEqual(["a/x1", "b/x1", "a/y1"]);
    queue.done("a/x1");
    expect(takeAll()).toEqual(["a/x2"]);
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
