import { describe, expect, it } from "vitest";

import { aSession } from "../../../test/support/builders.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import type { BlobEntry } from "../../blobs/blob-store.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { createLogger } from "../../telemetry/logger.ts";
import { collectBlobs, collectOnce, collectorTimes } from "./blob-collector.ts";

const [one, two, three] = ["1", "2", "3"].map((digit) => `${digit.repeat(8)}-1111-1111-1111-111111111111`) as [
  string,
  string,
  string,
];

const signal = new AbortController().signal;
/** Milliseconds. */
const old = 3_600_000;

it("deletes what belongs to no Session, and nothing else", async () => {
  const world = aWorld({
    ages: { [one]: [old], [two]: [old], [three]: [old], "not-ours": [old] },
    cached: [one],
    live: [two],
  });
  await collectOnce(world.deps, signal);
  expect(world.deleted).toEqual([`${three}/`]);
});

it.each([
  { name: "a blob is a moment too young", ages: [old, collectorTimes.youngMs - 1], want: [] },
  { name: "the youngest blob is old enough", ages: [old, collectorTimes.youngMs], want: [`${one}/`] },
])("deletes nothing of a Session that is gone as long as $name", async ({ ages, want }) => {
  const world = aWorld({ ages: { [one]: ages } });
  await collectOnce(world.deps, signal);
  expect(world.deleted).toEqual(want);
});

describe("where some namespaces are watched", () => {
  const watchNamespaces = ["shop", "payments"];

  it("deletes what belongs to no Session there, and nothing else", async () => {
    const world = aWorld({
      ages: { [one]: [old], [two]: [old], [three]: [old] },
      places: { [one]: "shop", [two]: "payments", [three]: "payments" },
      live: [two],
      watchNamespaces,
    });
    await collectOnce(world.deps, signal);
    expect(world.deleted).toEqual([one, three].map((owner) => `${owner}/`));
  });

  it.each([
    { name: "in another namespace", places: { [one]: "elsewhere" } },
    { name: "in one whose name begins alike", places: { [one]: "shop-2" } },
    { name: "without a recorded namespace", places: {} },
  ])("keeps what belongs to a Session $name, and asks the API server for nothing", async ({ places }) => {
    const failure = new Error("asked");
    const world = aWorld({ ages: { [one]: [old] }, places, watchNamespaces, failure });
    await collectOnce(world.deps, signal);
    expect(world.deleted).toEqual([]);
  });

  it("does not when all of them are", async () => {
    const world = aWorld({ ages: { [one]: [old], [two]: [old] }, places: { [one]: "elsewhere" } });
    await collectOnce(world.deps, signal);
    expect(world.deleted).toEqual([one, two].map((owner) => `${owner}/`));
  });
});

it("deletes nothing while Sessions are not known", async () => {
  const unsynced = aWorld({ ages: { [one]: [old] }, hasSynced: false });
  await collectOnce(unsynced.deps, signal);
  const unreadable = aWorld({ ages: { [one]: [old] }, failure: new Error("away") });
  await expect(collectOnce(unreadable.deps, signal)).rejects.toThrow("away");
  expect([...unsynced.deleted, ...unreadable.deleted]).toEqual([]);
});

it("asks the API server for nothing while all blobs have a Session", async () => {
  const world = aWorld({ ages: { [one]: [old] }, cached: [one], failure: new Error("asked") });
  await expect(collectOnce(world.deps, signal)).resolves.toBeUndefined();
});

it("comes back, also after a failure, until it is ended", async () => {
  const world = aWorld({ ages: { [one]: [old] }, failure: new Error("away") });
  const over = new AbortController();
  let measured = 0;
  const usage = { measure: () => Promise.resolve(void (measured += 1)) };
  const done = collectBlobs({ ...world.deps, usage }, over.signal);
  world.clock.advance(collectorTimes.firstMs);
  await world.asked();
  world.recover();
  world.clock.advance(collectorTimes.everyMs);
  await world.asked();
  over.abort();
  await done;
  expect(measured).toBe(1);
  expect(world.deleted).toEqual([`${one}/`]);
});

interface Given {
  /** Of the blobs of each owner. */
  ages: Record<string, number[]>;
  /** Namespaces that were noted beside them. */
  places?: Record<string, string>;
  watchNamespaces?: string[];
  cached?: string[];
  live?: string[];
  hasSynced?: boolean;
  failure?: Error;
}

function aWorld({ ages, places = {}, watchNamespaces, cached = [], live = [], hasSynced = true, failure }: Given) {
  const clock = new FakeClock();
  const entriesOf = (owner: string): [key: string, age: number][] => [
    ...(ages[owner] ?? []).map((age, index): [string, number] => [`${owner}/events/${index}`, age]),
    ...[places[owner] ?? []].flat().map((place): [string, number] => [`${owner}/namespace/${place}`, old]),
  ];
  /** Of whom everything was. */
  const deleted: string[] = [];
  let fails = failure;
  let asking = Promise.withResolvers<undefined>();
  const session = (uid: string): Session => aSession({ metadata: { uid } });
  const deps = {
    forgetOldEvents: () => Promise.resolve(),
    clock,
    watchNamespaces,
    logger: createLogger({ process: "gateway", level: "fatal" }, { write: () => undefined }),
    owners: {
      hasSynced,
      byUid: (uid: string) => (cached.includes(uid) ? session(uid) : undefined),
      images: () => [],
    },
    client: {
      list: () => {
        asking.resolve(undefined);
        return fails ? Promise.reject(fails) : Promise.resolve({ items: live.map(session) });
      },
    },
    blobs: {
      async *owners() {
        for (const owner of Object.keys(ages)) yield await Promise.resolve(owner);
      },
      async *list(prefix: string): AsyncGenerator<BlobEntry> {
        for (const [key, age] of entriesOf(prefix.slice(0, prefix.indexOf("/")))) {
          const modifiedAt = new Date(clock.now().getTime() - age);
          if (key.startsWith(prefix)) yield await Promise.resolve({ key, size: 1, modifiedAt });
        }
      },
      deleteAll: (prefix: string) => {
        if (prefix.indexOf("/") === prefix.length - 1) deleted.push(prefix);
        return Promise.resolve();
      },
    },
  } as unknown as Parameters<typeof collectOnce>[0];
  return {
    deps,
    clock,
    deleted,
    recover: () => (fails = undefined),
    /** A pass has asked for the Sessions, and what follows from it has been done. */
    asked: async () => {
      await asking.promise;
      asking = Promise.withResolvers();
      for (let turns = 0; turns < 50; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
