import { expect, it } from "vitest";
import { RecentClaims } from "./recent-claims.ts";

type Members = Parameters<RecentClaims["dueInMs"]>[1]["members"];

function claimsAt(): { at: (nowMs: number, ...taken: string[]) => number } {
  let nowMs = 0;
  const claims = new RecentClaims({ monotonicMs: () => nowMs });
  const membersOf = (taken: readonly string[]): Members =>
    ["a", "b", "c", "d", "e", "f", "g"].map((podUID, number) => ({
      member: { number, podName: podUID, podUID, revision: "r" },
      isGone: taken.includes(podUID),
      isTaken: taken.includes(podUID),
      isVerified: false,
      isWaiting: false,
    }));
  return {
    at: (instant, ...taken) => {
      nowMs = instant;
      return claims.dueInMs("shop/warm", { members: membersOf(taken) });
    },
  };
}

it("is due a second after the last was taken", () => {
  const { at } = claimsAt();
  expect(at(100)).toBe(0);
  expect(at(100, "a")).toBe(1_000);
  expect(at(900, "a")).toBe(200);
  expect(at(1_000, "a", "b")).toBe(1_000);
  expect(at(1_999, "a", "b")).toBe(1);
  expect(at(2_000, "a", "b")).toBe(0);
});

it("is due 5 seconds after the first was taken though sessions go on to take some", () => {
  const { at } = claimsAt();
  const taken = ["a", "b", "c", "d", "e", "f"];
  for (const [index] of taken.entries()) expect(at(index * 900, ...taken.slice(0, index + 1))).toBeGreaterThan(0);
  expect(at(4_999, ...taken, "g")).toBe(1);
  expect(at(5_000, ...taken, "g")).toBe(0);
});

it("begins anew once what was taken was replaced", () => {
  const { at } = claimsAt();
  expect(at(0, "a")).toBe(1_000);
  expect(at(1_000, "a")).toBe(0);
  expect(at(1_100)).toBe(0);
  expect(at(5_500, "b")).toBe(1_000);
});
