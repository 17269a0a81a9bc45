import { beforeEach, expect, it } from "vitest";

import type { KubeClient } from "../../kube/client.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { ReviewsBusyError, TokenReviews } from "./token-reviews.ts";

/** Tokens that the API server was asked about. */
let asked: string[];
/** Tokens that it knows. */
let known: Set<string>;
let refused: number;
let clock: FakeClock;
let reviews: TokenReviews;

/** An API server that never ends a review of a token that begins so. */
const slow = "slow-";
const client = {
  create(_: unknown, { spec }: { spec: { token: string; audiences?: string[] } }) {
    asked.push(spec.token);
    if (spec.token.startsWith(slow)) return new Promise(() => undefined);
    if (spec.token === "broken") return Promise.reject(new Error("no answer"));
    return Promise.resolve({ status: { authenticated: known.has(spec.token), user: { username: "ada" } } });
  },
} as unknown as Pick<KubeClient, "create">;

beforeEach(() => {
  [asked, known, refused, clock] = [[], new Set(["good"]), 0, new FakeClock()];
  reviews = new TokenReviews({ client, clock, rememberMs: 10_000, refused: () => (refused += 1) });
});

const review = (token: string, audiences: string[] = []) => reviews.review({ token, audiences, sharer: "a" });

it("answers others while one sharer has all the reviews under way that it gets", async () => {
  for (let junk = 0; junk < 64; junk += 1) void reviews.review({ token: `${slow}${junk}`, sharer: "hostile" });
  await expect(reviews.review({ token: "good", sharer: "hostile" })).rejects.toThrow(ReviewsBusyError);
  for (let at = 0; at < 100; at += 1) {
    expect(await reviews.review({ token: "good", sharer: "quiet" })).toMatchObject({ username: "ada" });
  }
  expect(refused).toBe(1);
});

it("asks once about a token that was refused, for as long as that is remembered", async () => {
  for (let at = 0; at < 5; at += 1) expect(await review("junk")).toBeUndefined();
  clock.advance(9_999);
  expect(await review("junk")).toBeUndefined();
  expect(asked).toEqual(["junk"]);
  known.add("junk");
  clock.advance(1);
  expect(await review("junk")).toMatchObject({ username: "ada" });
});

it("asks each time about a token that was accepted, so that one that is revoked ends at once", async () => {
  expect(await review("good")).toMatchObject({ username: "ada" });
  known.delete("good");
  expect(await review("good")).toBeUndefined();
});

it("remembers a refusal for the same audiences alone", async () => {
  await review("junk", ["people"]);
  await review("junk");
  await review("junk", ["people"]);
  expect(asked).toEqual(["junk", "junk"]);
});

it("remembers nothing of a review that failed", async () => {
  await expect(review("broken")).rejects.toThrow("no answer");
  await expect(review("broken")).rejects.toThrow("no answer");
});

it("remembers 4,096 refusals, and forgets the oldest", async () => {
  for (let junk = 0; junk < 4_096; junk += 1) await review(`junk-${junk}`);
  await review("junk-0");
  expect(asked).toHaveLength(4_096);
  await review("junk-4096");
  await review("junk-1");
  await review("junk-0");
  expect(asked.slice(4_096)).toEqual(["junk-4096", "junk-0"]);
});
