import { describe, expect, it } from "vitest";
import { FakeClock } from "../lib/fake-clock.ts";
import { KubeClient } from "./client.ts";
import { type Lease } from "./core-resources.ts";
import { KubeError } from "./errors.ts";
import { LeaderElection, type LeaderElectionOptions } from "./leader-election.ts";
import { NotLeadingError } from "./outcome.ts";

async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
}

/** The one lease, with the API server's rule that a replace must name the newest version. */
class FakeLease {
  lease: Lease | undefined;
  isAway = false;
  /** How many replaces from now on come just after a renewal that its sender has not heard of. */
  unheard = 0;
  /** Called at each replace. */
  onReplace: () => void = () => undefined;
  writes = 0;
  #version = 0;

  find(): Promise<Lease | undefined> {
    return this.#answer(() => structuredClone(this.lease));
  }

  create(_resource: unknown, object: object): Promise<never> {
    return this.#answer(() => {
      if (this.lease) throw this.#refusal("AlreadyExists");
      return this.#store(object as Lease);
    }) as Promise<never>;
  }

  replace(_resource: unknown, object: object): Promise<never> {
    return this.#answer(() => {
      const { metadata } = object as Lease;
      this.onReplace();
      if (this.unheard > 0 && this.lease) this.#store(this.lease);
      this.unheard = Math.max(0, this.unheard - 1);
      if (metadata.resourceVersion !== this.lease?.metadata.resourceVersion) throw this.#refusal("Conflict");
      return this.#store(object as Lease);
    }) as Promise<never>;
  }

  #store(object: Lease): Lease {
    this.writes += 1;
    this.#version += 1;
    this.lease = structuredClone({ ...object, metadata: { ...object.metadata, resourceVersion: `${this.#version}` } });
    return structuredClone(this.lease);
  }

  #refusal(reason: string): KubeError {
    return new KubeError({ message: reason, status: 409, reason, delivery: "received" });
  }

  #answer<T>(work: () => T): Promise<T> {
    const away = new KubeError({ message: "away", status: 0, reason: "ConnectionFailed", delivery: "unsent" });
    return this.isAway ? Promise.reject(away) : Promise.resolve().then(work);
  }
}

interface Candidate {
  election: LeaderElection;
  clock: FakeClock;
  /** undefined while it campaigns. */
  result: () => boolean | undefined;
  isLost: () => boolean;
  stop: AbortController;
}

/** Its clock is its own: processes on several machines share none. */
function aCandidate(
  server: FakeLease,
  identity: string,
  clock = new FakeClock(),
  annotations: LeaderElectionOptions["annotations"] = () => ({}),
): Candidate {
  const election = new LeaderElection(
    { client: server as unknown as KubeClient, clock, random: { fraction: () => 0 } },
    { namespace: "demo", name: "leader", identity, annotations },
  );
  const stop = new AbortController();
  let result: boolean | undefined;
  let isLost = false;
  void election.campaign(stop.signal).then((won) => (result = won));
  void election.lost.then(() => (isLost = true));
  return { election, clock, stop, result: () => result, isLost: () => isLost };
}

async function pass(ms: number, ...clocks: FakeClock[]): Promise<void> {
  for (let leftMs = ms; leftMs > 0; leftMs -= 500) {
    for (const clock of clocks) clock.advance(Math.min(leftMs, 500));
    await settle();
  }
}

describe("a candidate", () => {
  it("leads at once where no other process does, and says so in the lease", async () => {
    const server = new FakeLease();
    const { election, result } = aCandidate(server, "one");
    await settle();
    expect([result(), election.isLeading]).toEqual([true, true]);
    expect(server.lease?.spec).toEqual({
      holderIdentity: "one",
      leaseDurationSeconds: 15,
      acquireTime: "2026-05-04T10:15:00.000000Z",
      renewTime: "2026-05-04T10:15:00.000000Z",
      leaseTransitions: 0,
    });
  });

  it("waits while another renews, however different the clocks are", async () => {
    const server = new FakeLease();
    const one = aCandidate(server, "one", new FakeClock("2031-01-01T00:00:00.000Z"));
    await settle();
    const two = aCandidate(server, "two", new FakeClock("1999-01-01T00:00:00.000Z"));
    await pass(120_000, one.clock, two.clock);
    expect([one.result(), two.result()]).toEqual([true, undefined]);
    expect(two.election.isLeading).toBe(false);
  });

  it("takes over 15 s after it saw the last renewal, not earlier", async () => {
    const server = new FakeLease();
    aCandidate(server, "one");
    await settle();
    const two = aCandidate(server, "two");
    await settle();
    await pass(14_000, two.clock);
    expect(two.result()).toBeUndefined();
    await pass(2_000, two.clock);
    expect(two.result()).toBe(true);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: "two", leaseTransitions: 1 });
  });

  it("takes over at its next look when the leader gave the lease away", async () => {
    const server = new FakeLease();
    const one = aCandidate(server, "one");
    await settle();
    const two = aCandidate(server, "two");
    await settle();
    await one.election.release();
    await pass(2_000, two.clock);
    expect(two.result()).toBe(true);
    expect([one.election.isLeading, one.isLost()]).toEqual([false, false]);
  });

  it.each([
    { name: "stored by the one that leads and not heard of by it", holder: "one", want: "" },
    { name: "of another by now", holder: "two", want: "two" },
  ])("finds a lease given away that was $name: $want", async ({ holder, want }) => {
    const server = new FakeLease();
    const one = aCandidate(server, "one");
    await settle();
    const { lease } = server;
    await server.replace(undefined, { ...lease, spec: { ...lease?.spec, holderIdentity: holder } });
    await one.election.release();
    expect(server.lease?.spec?.holderIdentity).toBe(want);
  });

  it.each([
    { unheard: 1, want: "" },
    { unheard: 4, want: "" },
    { unheard: 5, want: "one" },
  ])(
    "after $unheard renewals that are stored just before it gives the lease away the holder is: $want",
    async (given) => {
      const server = new FakeLease();
      const one = aCandidate(server, "one");
      await settle();
      server.unheard = given.unheard;
      await one.election.release();
      expect(server.lease?.spec?.holderIdentity).toBe(given.want);
    },
  );

  it("does not try to give the lease away any more once it would no longer lead", async () => {
    const server = new FakeLease();
    const one = aCandidate(server, "one");
    await settle();
    server.unheard = 5;
    let tries = 0;
    server.onReplace = () => {
      tries += 1;
      one.clock.advance(5_000);
    };
    await one.election.release();
    expect([tries, server.lease?.spec?.holderIdentity]).toEqual([2, "one"]);
  });

  it("gives up when its signal is aborted", async () => {
    const server = new FakeLease();
    aCandidate(server, "one");
    await settle();
    const two = aCandidate(server, "two");
    await settle();
    two.stop.abort();
    await settle();
    expect([two.result(), two.clock.timers]).toEqual([false, 0]);
  });
});

describe("annotations of the lease", () => {
  it("are computed at each renewal from the lease as it was found, beside those of others", async () => {
    const server = new FakeLease();
    const found: (string | undefined)[] = [];
    let count = 0;
    const { clock } = aCandidate(server, "one", new FakeClock(), (lease) => {
      found.push(lease?.metadata.annotations?.count);
      count += 1;
      return { count: count === 3 ? undefined : String(count) };
    });
    await settle();
    expect(server.lease?.metadata.annotations).toEqual({ count: "1" });
    await server.replace(undefined, {
      ...server.lease,
      metadata: { ...server.lease?.metadata, annotations: { count: "1", theirs: "x" } },
    });
    await pass(2_000, clock);
    expect(server.lease?.metadata.annotations).toEqual({ count: "2", theirs: "x" });
    await pass(2_000, clock);
    expect(server.lease?.metadata.annotations).toEqual({ theirs: "x" });
    expect(found).toEqual([undefined, "1", "2"]);
  });
});

describe("a leader", () => {
  it("may write until its last renewal is 10 s old, and not after", async () => {
    const server = new FakeLease();
    const { election, clock, isLost } = aCandidate(server, "one");
    await settle();
    server.isAway = true;
    clock.advance(9_999);
    expect(() => election.assertLeading()).not.toThrow();
    clock.advance(1);
    expect(() => election.assertLeading()).toThrow(NotLeadingError);
    await settle();
    expect(isLost()).toBe(true);
  });

  it("keeps leading through an outage that is shorter than 10 s", async () => {
    const server = new FakeLease();
    const { election, clock, isLost } = aCandidate(server, "one");
    await settle();
    server.isAway = true;
    await pass(9_000, clock);
    server.isAway = false;
    await pass(60_000, clock);
    expect([election.isLeading, isLost()]).toEqual([true, false]);
  });

  it("is lost when the API server stays away", async () => {
    const server = new FakeLease();
    const { election, clock, isLost } = aCandidate(server, "one");
    await settle();
    server.isAway = true;
    await pass(10_500, clock);
    expect([election.isLeading, isLost()]).toEqual([false, true]);
  });

  it("that was frozen writes nothing when it wakes, and renews nothing", async () => {
    const server = new FakeLease();
    const one = aCandidate(server, "one");
    await settle();
    const writes = server.writes;
    one.clock.advance(20_000);
    expect(() => one.election.assertLeading()).toThrow(NotLeadingError);
    await settle();
    expect([one.isLost(), server.writes]).toEqual([true, writes]);
  });

  it("stops at once when it sees that another took over", async () => {
    const server = new FakeLease();
    const one = aCandidate(server, "one");
    await settle();
    const metadata = { ...server.lease?.metadata, resourceVersion: "99" };
    server.lease = { ...server.lease, metadata, spec: { ...server.lease?.spec, holderIdentity: "two" } };
    await pass(2_000, one.clock);
    expect([one.election.isLeading, one.isLost()]).toEqual([false, true]);
  });

  it("counts its age from when the renewal was sent, not from when it was answered", async () => {
    const clock = new FakeClock();
    const slow = new (class extends FakeLease {
      override async find(): Promise<Lease | undefined> {
        clock.advance(4_000);
        return super.find();
      }
    })();
    const { election } = aCandidate(slow, "one", clock);
    await settle();
    clock.advance(5_999);
    expect(election.isLeading).toBe(true);
    clock.advance(1);
    expect(election.isLeading).toBe(false);
  });
});

it("fences a client: no write without leading, reads always", async () => {
  const sent: string[] = [];
  const client = new KubeClient({
    clock: new FakeClock(),
    transport: {
      send: (request) => Promise.resolve((sent.push(request.method), { status: 200, text: "{}" })),
      stream: () => Promise.reject(new Error("not asked for")),
      close: () => Promise.resolve(),
    },
  });
  const server = new FakeLease();
  const { election, clock } = aCandidate(server, "one");
  await settle();
  const fenced = election.fence(client);
  const configMaps = { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true };
  const key = { namespace: "demo", name: "a" };
  await fenced.patch(configMaps, key, {});
  clock.advance(10_000);
  await expect(fenced.patch(configMaps, key, {})).rejects.toThrow(NotLeadingError);
  await expect(fenced.create(configMaps, { metadata: key })).rejects.toThrow(NotLeadingError);
  await expect(fenced.delete(configMaps, key)).rejects.toThrow(NotLeadingError);
  await fenced.get(configMaps, key);
  expect(sent).toEqual(["PATCH", "GET"]);
});
