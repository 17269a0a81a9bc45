import { describe, expect, it } from "vitest";
import { FakeClock } from "../lib/fake-clock.ts";
import type { KubeObject, ObjectKey, Resource } from "../lib/resource.ts";
import type { KubeClient } from "./client.ts";
import type { Event } from "./core-resources.ts";
import { KubeError } from "./errors.ts";
import { type EventFacts, EventRecorder } from "./event-recorder.ts";

async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
}

const created: EventFacts = {
  regarding: { apiVersion: "runwright.dev/v1alpha1", kind: "Run", namespace: "demo", name: "run-1", uid: "u1" },
  type: "Normal",
  reason: "Started",
  note: "Created Session run-1-0",
};

interface World {
  recorder: EventRecorder;
  clock: FakeClock;
  stored: Event[];
  patches: { key: ObjectKey; body: object }[];
  failures: Error[];
  dropped: string[];
}

function aWorld(): World {
  const clock = new FakeClock();
  const stored: Event[] = [];
  const patches: World["patches"] = [];
  const failures: Error[] = [];
  const dropped: string[] = [];
  const client = {
    create: <T extends KubeObject>(_resource: Resource<T>, object: T): Promise<T> => {
      const failure = failures.shift();
      if (failure) return Promise.reject(failure);
      stored.push(object as unknown as Event);
      return Promise.resolve(object);
    },
    patch: (_resource: unknown, key: ObjectKey, body: object): Promise<object> => {
      const failure = failures.shift();
      if (failure) return Promise.reject(failure);
      patches.push({ key, body });
      return Promise.resolve({});
    },
  };
  let suffix = 0;
  const recorder = new EventRecorder(
    {
      client: client as Pick<KubeClient, "create" | "patch">,
      clock,
      random: { fraction: () => 1, uuid: () => `s${(suffix += 1)}` },
      metrics: { eventDropped: (reason) => void dropped.push(reason) },
    },
    { reportingController: "runwright.dev/controller", reportingInstance: "controller-0" },
  );
  return { recorder, clock, stored, patches, failures, dropped };
}

const failed = (status: number): KubeError =>
  new KubeError({ message: "injected", status, reason: "", delivery: "received" });

describe("an event", () => {
  it("is written with all that the API server asks for", async () => {
    const { recorder, stored } = aWorld();
    recorder.record(created);
    await settle();
    expect(stored).toEqual([
      {
        metadata: { namespace: "demo", name: "run-1.s1" },
        eventTime: "2026-05-04T10:15:00.000000Z",
        reportingController: "runwright.dev/controller",
        reportingInstance: "controller-0",
        type: "Normal",
        reason: "Started",
        action: "Started",
        note: "Created Session run-1-0",
        regarding: created.regarding,
      },
    ]);
  });

  it("on a cluster-scoped object goes to the default namespace", async () => {
    const { recorder, stored } = aWorld();
    recorder.record({ ...created, regarding: { apiVersion: "v1", kind: "SandboxClass", name: "standard" } });
    await settle();
    expect(stored[0]?.metadata.namespace).toBe("default");
  });

  it.each([
    { name: "at the limit is whole", note: "é".repeat(512), wantLength: 512 },
    {
      name: "past the limit ends before the character that does not fit",
      note: `${"é".repeat(511)}xé`,
      wantLength: 512,
    },
  ])("whose note is $name", async ({ note, wantLength }) => {
    const { recorder, stored } = aWorld();
    recorder.record({ ...created, note });
    await settle();
    expect(stored[0]?.note).toBe(note.slice(0, wantLength));
  });
});

describe("repeats", () => {
  it("before it was written are counted in the one event", async () => {
    const { recorder, stored } = aWorld();
    for (let times = 0; times < 3; times += 1) recorder.record(created);
    await settle();
    expect(stored.map(({ series }) => series?.count)).toEqual([3]);
  });

  it("later count up in the stored event", async () => {
    const { recorder, clock, stored, patches } = aWorld();
    recorder.record(created);
    await settle();
    clock.advance(599_999);
    recorder.record(created);
    await settle();
    expect([stored.length, patches]).toEqual([
      1,
      [
        {
          key: { namespace: "demo", name: "run-1.s1" },
          body: { series: { count: 2, lastObservedTime: "2026-05-04T10:24:59.999000Z" } },
        },
      ],
    ]);
  });

  it.each([
    { name: "after ten minutes", advanceMs: 600_000, facts: created },
    { name: "with another note", advanceMs: 0, facts: { ...created, note: "Created another" } },
    { name: "on another object", advanceMs: 0, facts: { ...created, regarding: { ...created.regarding, uid: "u2" } } },
  ])("$name are events of their own", async ({ advanceMs, facts }) => {
    const { recorder, clock, stored } = aWorld();
    recorder.record(created);
    await settle();
    clock.advance(advanceMs);
    recorder.record(facts);
    await settle();
    expect(stored).toHaveLength(2);
  });

  it("of an event that the API server has forgotten are written anew", async () => {
    const { recorder, stored, failures } = aWorld();
    recorder.record(created);
    await settle();
    failures.push(failed(404));
    recorder.record(created);
    await settle();
    expect(stored.map(({ series }) => series?.count)).toEqual([undefined, 2]);
  });
});

describe("trouble", () => {
  it("of the server is waited out, three times", async () => {
    const { recorder, clock, stored, failures, dropped } = aWorld();
    failures.push(failed(500), failed(429));
    recorder.record(created);
    await settle();
    clock.advance(500);
    await settle();
    clock.advance(1_000);
    await settle();
    expect([stored.length, dropped]).toEqual([1, []]);
  });

  it.each([
    { name: "stays", errors: [500, 500, 500], waits: [500, 1_000] },
    { name: "is final", errors: [403], waits: [] },
  ])("that $name costs the event and nothing else", async ({ errors, waits }) => {
    const { recorder, clock, stored, failures, dropped } = aWorld();
    failures.push(...errors.map(failed));
    recorder.record(created);
    recorder.record({ ...created, note: "next" });
    await settle();
    for (const waitMs of waits) {
      clock.advance(waitMs);
      await settle();
    }
    expect([stored.map(({ note }) => note), dropped]).toEqual([["next"], ["error"]]);
  });

  it("of one object does not take the place of others", async () => {
    const { recorder, stored, dropped } = aWorld();
    for (let at = 0; at < 30; at += 1) recorder.record({ ...created, note: `note ${at}` });
    recorder.record({ ...created, regarding: { ...created.regarding, uid: "u2" } });
    await settle();
    expect([stored.length, dropped]).toEqual([26, Array.from({ length: 5 }, () => "budget")]);
  });

  it("that lasts fills no memory", async () => {
    const { recorder, dropped } = aWorld();
    for (let at = 0; at < 1_001; at += 1) {
      recorder.record({ ...created, regarding: { ...created.regarding, uid: `u${at}` } });
    }
    expect(dropped).toEqual(["queue"]);
    await settle();
  });
});

describe("flushing", () => {
  it("waits for what is under way, no longer than the timeout", async () => {
    const { recorder, clock, stored, failures } = aWorld();
    recorder.record(created);
    await recorder.flush(1_000);
    expect(stored).toHaveLength(1);
    failures.push(failed(500));
    recorder.record({ ...created, note: "late" });
    await settle();
    let isOver = false;
    const flushing = recorder.flush(400).then(() => (isOver = true));
    clock.advance(399);
    await settle();
    expect(isOver).toBe(false);
    clock.advance(1);
    await flushing;
    expect(stored).toHaveLength(1);
  });
});
