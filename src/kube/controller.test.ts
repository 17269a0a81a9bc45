import { describe, expect, it } from "vitest";
import { FakeClock } from "../lib/fake-clock.ts";
import { Controller } from "./controller.ts";
import { KubeError } from "./errors.ts";
import { aConfigMap, aControllerWorld, settle } from "./fake-controller-world.ts";
import { done, NotLeadingError, type Outcome, requeueAfter, TerminalError } from "./outcome.ts";

const answered = (status: number, reason = "Injected"): KubeError =>
  new KubeError({ message: "injected", status, reason, delivery: "received" });

describe("watching", () => {
  it("asks once for each object that is there and once for each change", async () => {
    const { server, asked } = await aControllerWorld(() => done);
    server.put(aConfigMap("a"));
    await settle();
    server.put(aConfigMap("a", { x: "1" }));
    await settle();
    server.remove({ namespace: "demo", name: "a" });
    await settle();
    expect(asked).toEqual(["a", "a", "a"]);
  });

  it("drops changes that cannot matter", async () => {
    const { server, asked } = await aControllerWorld(() => done, { when: ({ object }) => object.data?.x !== "noise" });
    server.put(aConfigMap("a", { x: "noise" }));
    server.put(aConfigMap("b"));
    await settle();
    expect(asked).toEqual(["b"]);
  });

  it("concerns what an object pointed at before as well as after", async () => {
    const { server, informer, asked } = await aControllerWorld(() => done);
    const other = new Controller(
      { clock: new FakeClock(), random: { fraction: () => 1 } },
      {
        name: "targets",
        reconciler: { reconcile: (key) => (asked.push(key.name), Promise.resolve(done)) },
      },
    );
    other.watch(informer, { keysOf: ({ data }) => (data?.target === undefined ? [] : [{ name: data.target }]) });
    await other.start();
    server.put(aConfigMap("a", { target: "one" }));
    await settle();
    asked.length = 0;
    server.put(aConfigMap("a", { target: "two" }));
    await settle();
    expect(asked.toSorted()).toEqual(["a", "one", "two"]);
  });
});

describe("working", () => {
  it("keeps to its width and never has two workers on one key", async () => {
    let working = 0;
    let most = 0;
    const gates: (() => void)[] = [];
    const { server } = await aControllerWorld(
      async () => {
        most = Math.max(most, (working += 1));
        await new Promise<void>((resolve) => gates.push(resolve));
        working -= 1;
        return done;
      },
      { concurrency: 2 },
    );
    for (const name of ["a", "b", "c", "a"]) server.put(aConfigMap(name));
    await settle();
    expect(most).toBe(2);
    while (gates.length > 0) {
      gates.shift()?.();
      await settle();
    }
    expect([most, working]).toEqual([2, 0]);
  });

  it.each([
    { concurrency: 1, ofOne: 1, others: [] },
    { concurrency: 2, ofOne: 2, others: ["other/1"] },
    { concurrency: 3, ofOne: 3, others: ["other/1", "other/2"] },
  ])("gives a namespace $ofOne of its workers at a width of $concurrency, and others theirs at once", async (row) => {
    const { concurrency, ofOne, others } = row;
    const { controller, asked } = await aControllerWorld(() => new Promise(() => undefined), { concurrency });
    for (let at = 1; at <= 100; at += 1) controller.enqueue({ namespace: "hostile", name: `hostile/${at}` });
    await settle();
    expect(asked).toHaveLength(ofOne);
    for (const name of ["other/1", "other/2"]) controller.enqueue({ namespace: "other", name });
    await settle();
    expect(asked.slice(ofOne)).toEqual(others);
  });

  it("works on keys of one group one after the other", async () => {
    const gates: (() => void)[] = [];
    const { server, asked } = await aControllerWorld(() => new Promise((resolve) => gates.push(() => resolve(done))), {
      groupOf: (key) => key.name.charAt(0),
    });
    for (const name of ["a1", "a2", "b1"]) server.put(aConfigMap(name));
    await settle();
    expect(asked).toEqual(["a1", "b1"]);
    gates[0]?.();
    await settle();
    expect(asked).toEqual(["a1", "b1", "a2"]);
  });

  it("comes back at the instant that the outcome names", async () => {
    const { server, clock, asked, outcomes } = await aControllerWorld(() => requeueAfter(5_000));
    server.put(aConfigMap("a"));
    await settle();
    clock.advance(4_999);
    await settle();
    expect(asked).toEqual(["a"]);
    clock.advance(1);
    await settle();
    expect([asked, outcomes]).toEqual([
      ["a", "a"],
      ["requeueAfter", "requeueAfter"],
    ]);
  });

  it("looks at what it is asked to look at", async () => {
    const { controller, clock, asked } = await aControllerWorld(() => done);
    controller.enqueue({ name: "now" });
    controller.enqueue({ name: "later" }, 100);
    await settle();
    expect(asked).toEqual(["now"]);
    clock.advance(100);
    await settle();
    expect(asked).toEqual(["now", "later"]);
  });
});

describe("logging", () => {
  it.each([
    { name: "a success", reconcile: () => done, lines: 1 },
    {
      name: "a failure that cannot be reported either",
      reconcile: () => Promise.reject(new Error("broken")),
      lines: 3,
    },
  ])("names the object in each line of $name", async ({ reconcile, lines }) => {
    const said: object[] = [];
    const say = (data: object): void => void said.push(data);
    const { server } = await aControllerWorld(reconcile, {
      log: { debug: say, info: say, warn: say, error: say },
      onFailed: () => Promise.reject(new Error("not reported")),
    });
    server.put(aConfigMap("a"));
    await settle();
    expect(said).toHaveLength(lines);
    for (const data of said) expect(data).toMatchObject({ namespace: "demo", name: "a" });
  });
});

describe("failing", () => {
  it.each([
    { name: "an error", error: new Error("broken"), outcome: "error", waitsMs: [200, 400, 800], failures: ["error"] },
    { name: "a conflict", error: answered(409, "Conflict"), outcome: "conflict", waitsMs: [200, 400], failures: [] },
    {
      name: "a server that asks for a minute and more",
      error: new KubeError({ message: "", status: 429, reason: "", delivery: "received", retryAfterSeconds: 90 }),
      outcome: "error",
      waitsMs: [90_000, 90_000],
      failures: ["error"],
    },
  ])("with $name comes back after a wait", async ({ error, outcome, waitsMs, failures }) => {
    const world = await aControllerWorld(() => Promise.reject(error));
    world.server.put(aConfigMap("a"));
    await settle();
    for (const [round, waitMs] of waitsMs.entries()) {
      expect(world.asked).toHaveLength(round + 1);
      world.clock.advance(waitMs - 1);
      await settle();
      expect(world.asked).toHaveLength(round + 1);
      world.clock.advance(1);
      await settle();
    }
    expect(new Set(world.outcomes)).toEqual(new Set([outcome]));
    expect([...new Set(world.failures)]).toEqual(failures);
  });

  it("begins with the shortest wait again after a success", async () => {
    let broken = true;
    const { server, clock, asked } = await aControllerWorld(() =>
      broken ? Promise.reject(new Error("broken")) : done,
    );
    server.put(aConfigMap("a"));
    await settle();
    clock.advance(200);
    await settle();
    broken = false;
    clock.advance(400);
    await settle();
    broken = true;
    server.put(aConfigMap("a", { x: "1" }));
    await settle();
    asked.length = 0;
    clock.advance(200);
    await settle();
    expect(asked).toEqual(["a"]);
  });

  it.each([
    { name: "for good", error: new TerminalError("InvalidSpec", "no"), outcome: "terminal", failures: ["terminal"] },
    { name: "because it no longer leads", error: new NotLeadingError("no"), outcome: "stopped", failures: [] },
  ])("$name waits for a change", async ({ error, outcome, failures: want }) => {
    const { server, clock, asked, outcomes, failures } = await aControllerWorld(() => Promise.reject(error));
    server.put(aConfigMap("a"));
    await settle();
    clock.advance(86_400_000);
    await settle();
    expect([asked, outcomes, failures]).toEqual([["a"], [outcome], want]);
    server.put(aConfigMap("a", { x: "1" }));
    await settle();
    expect(asked).toEqual(["a", "a"]);
  });
});

describe("stopping", () => {
  it("waits for work under way and takes on nothing new", async () => {
    const gate = Promise.withResolvers<Outcome>();
    const { server, controller, clock, asked } = await aControllerWorld(() => gate.promise);
    server.put(aConfigMap("a"));
    await settle();
    let isOver = false;
    const stopping = controller.stop().then(() => (isOver = true));
    server.put(aConfigMap("b"));
    await settle();
    expect([isOver, asked]).toEqual([false, ["a"]]);
    gate.resolve(requeueAfter(1));
    await stopping;
    clock.advance(10);
    await settle();
    expect(asked).toEqual(["a"]);
  });

  it("ends what takes longer than the grace", async () => {
    const { server, controller, clock, outcomes } = await aControllerWorld(
      (_key, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("ended")));
        }),
    );
    server.put(aConfigMap("a"));
    await settle();
    const stopping = controller.stop(5_000);
    clock.advance(4_999);
    await settle();
    expect(outcomes).toEqual([]);
    clock.advance(1);
    await stopping;
    expect(outcomes).toEqual(["stopped"]);
  });
});
