import { describe, expect, it } from "vitest";
import { warmSource as source } from "../../../test/support/warm-source.ts";
import type { SandboxPool } from "../../api/v1alpha1/sandbox-pool.ts";
import { decide } from "./decide.ts";
import type { ObservedMember, PoolFacts } from "./facts.ts";

const now = new Date("2026-05-04T10:15:00.000Z");

function aMember(number: number, given: Partial<ObservedMember> = {}, revision = "r"): ObservedMember {
  const name = `p-${number}`;
  const member = { number, podName: name, podUID: `u-${number}`, revision };
  const pod = { name, uid: `u-${number}`, attempt: number, isStarted: true, isTerminating: false };
  return { member, pod, isGone: false, isVerified: true, isWaiting: true, ...given };
}

function factsOf(replicas: number, members: readonly ObservedMember[], places = 10): PoolFacts {
  const status = { members: members.map(({ member }) => member), lastNumber: members.length };
  const pool = { metadata: { name: "warm", uid: "u" }, spec: { replicas }, status } as unknown as SandboxPool;
  return { pool, members, unnamed: [], room: { places, why: "full" }, made: { source, revision: "r" } };
}

/** Kinds of effects in order, and the members that the status would name. */
function outcome(facts: PoolFacts): { kinds: string[]; members?: number[] | undefined } {
  const effects = decide(facts, now);
  const written = effects.find((effect) => effect.kind === "writeStatus");
  return {
    kinds: effects.map(({ kind }) => kind),
    members: written?.status.members?.map(({ number }) => number),
  };
}

describe("others' NetworkPolicies", () => {
  const type = "ForeignNetworkPolicy";

  /** Conditions of the pool once it has been looked at with these names. */
  function conditionsAfter(facts: PoolFacts): SandboxPool["status"] {
    return decide(facts, now).flatMap((effect) => (effect.kind === "writeStatus" ? [effect.status] : []))[0];
  }
  const names = ["open"];
  const warned = conditionsAfter({ ...factsOf(1, [aMember(1)]), foreignPolicies: names });
  const withStored = (facts: PoolFacts): PoolFacts => ({ ...facts, pool: { ...facts.pool, status: warned } });

  it("that select what waits are a warning", () => {
    expect(warned?.conditions?.find((one) => one.type === type)).toMatchObject({
      status: "True",
      reason: type,
      message: "the sandbox is also selected by NetworkPolicy open",
    });
  });

  it("are warned of until none selects it, or nothing waits", () => {
    const still = { ...factsOf(1, [aMember(1)]), foreignPolicies: names };
    expect(decide(withStored(still), now)).toEqual([]);
    expect(decide(withStored({ ...still, foreignPolicies: undefined }), now)).toEqual([]);
    for (const facts of [
      { ...still, foreignPolicies: [] },
      { ...factsOf(0, []), foreignPolicies: names },
    ]) {
      expect(conditionsAfter(withStored(facts))?.conditions?.map((one) => one.type)).toEqual(["Ready"]);
    }
  });
});

it("writes a member before it creates its pod", () => {
  expect(outcome(factsOf(1, []))).toEqual({ kinds: ["writeStatus", "createPod"], members: [1] });
});

it("creates none beside a member whose pod the cache does not show, and counts it", () => {
  const { members } = outcome(factsOf(1, [aMember(1, { pod: undefined })]));
  expect(members ?? [1]).toEqual([1]);
  expect(outcome(factsOf(1, [aMember(1, { pod: undefined })])).kinds).not.toContain("createPod");
});

it("replaces a member that was taken under a new number", () => {
  const facts = factsOf(1, [aMember(1, { isGone: true, pod: undefined })]);
  expect(outcome(facts)).toEqual({ kinds: ["writeStatus", "createPod"], members: [2] });
});

it.each([
  ["of another revision", factsOf(1, [aMember(1, {}, "old")])],
  ["beyond the replicas", factsOf(0, [aMember(1)])],
  ["for which the class has no place", factsOf(1, [aMember(1)], 0)],
])("deletes a pod %s, and names it until it is gone", (_what, facts) => {
  const { kinds, members = [1] } = outcome(facts);
  expect(kinds[0]).toBe("deletePod");
  expect(kinds).not.toContain("createPod");
  expect(members).toEqual([1]);
});

it("keeps those that wait when there are too many", () => {
  const effects = decide(factsOf(1, [aMember(1, { isWaiting: false }), aMember(2)]), now);
  expect(effects[0]).toMatchObject({ kind: "deletePod", pod: { uid: "u-1" } });
});

it("names no pod by its UID that was not found to be as one that is made now", () => {
  const member = { number: 1, podName: "p-1", revision: "r" };
  const unverified = factsOf(1, [aMember(1, { member, isVerified: false })]);
  expect(outcome(unverified).kinds).toContain("createPod");
  const [write] = decide(unverified, now);
  expect(write).not.toHaveProperty("status.members.0.podUID");
});

it.each([
  ["it was taken", { isGone: true, isTaken: true, pod: undefined }, now.toISOString()],
  ["its pod is gone", { isGone: true, pod: undefined }, undefined],
])("says when a session took a member: %s", (_what, given, want) => {
  const [write] = decide(factsOf(1, [aMember(1, given)]), now);
  expect(write).toMatchObject({ kind: "writeStatus" });
  expect(write?.kind === "writeStatus" && write.status.lastClaimTime).toBe(want);
});

it("keeps when a session last took one", () => {
  const facts = factsOf(1, [aMember(1, { isWaiting: false })]);
  const lastClaimTime = "2026-05-04T09:00:00.000Z";
  const pool = { ...facts.pool, status: { ...facts.pool.status, lastClaimTime } };
  expect(decide({ ...facts, pool }, now)[0]).toHaveProperty("status.lastClaimTime", lastClaimTime);
});

it("shows later that more wait, and at once that fewer do", () => {
  const shownOf = (readyReplicas: number, members: ObservedMember[]): unknown => {
    const facts = factsOf(3, members);
    const pool = { ...facts.pool, status: { ...facts.pool.status, readyReplicas } };
    const [write] = decide({ ...facts, pool, isGathering: true }, now);
    return write?.kind === "writeStatus" ? write.status.readyReplicas : undefined;
  };
  expect(shownOf(1, [aMember(1), aMember(2), aMember(3, { isWaiting: false })])).toBe(1);
  expect(shownOf(2, [aMember(1), aMember(2, { isWaiting: false }), aMember(3, { isWaiting: false })])).toBe(1);
});

describe("while sessions take sandboxes", () => {
  const taken = (number: number): ObservedMember => aMember(number, { isGone: true, isTaken: true, pod: undefined });
  const busy = (...given: Parameters<typeof factsOf>): PoolFacts => ({ ...factsOf(...given), isBusy: true });

  it("replaces none, and shows what was taken", () => {
    const [write, ...others] = decide(busy(2, [taken(1), aMember(2)]), now);
    expect(others).toEqual([]);
    expect(write).toHaveProperty("status.readyReplicas", 2);
    expect(write).toHaveProperty("status.members.length", 2);
    expect(write?.kind === "writeStatus" && write.status.lastClaimTime).toBeUndefined();
  });

  it("keeps the one that waits though those that were taken fill the class", () => {
    expect(outcome(busy(2, [taken(1), aMember(2)], 1)).kinds).not.toContain("deletePod");
  });

  it("deletes what is beyond the replicas, and no other", () => {
    expect(outcome(busy(1, [taken(1), aMember(2), aMember(3)])).kinds.filter((kind) => kind === "deletePod")).toEqual([
      "deletePod",
    ]);
  });
});
