import { describe, expect, it } from "vitest";

import {
  mostFeedback,
  mostSkips,
  type PullRequest,
  type SkippedFeedback,
  type TrackedFeedback,
} from "../../../api/v1alpha1/index.ts";
import type { AttemptCap } from "../../../domain/pull-requests/autofix-settings.ts";
import { admittedStatus, skippedStatus } from "./lifecycle.ts";

type Progress = TrackedFeedback["progress"];

const now = new Date("2026-05-04T10:00:00.000Z");
const dayMs = 86_400_000;

/** Feedback that was admitted so long ago, and whose answer is so far. */
function aFeedback(id: number | string, progress: Progress = "Sent", agoMs = 2 * dayMs): TrackedFeedback {
  const admittedTime = new Date(now.getTime() - agoMs).toISOString();
  return { id: `f${id}`, kind: "Comment", objectID: 1, eventUID: "e", admittedTime, promptName: "p", progress };
}

/** Names of what is kept once one more is admitted, beside so many of which these first ones have not all ended. */
function keptAfter(count: number, first: readonly Progress[] = []): string[] | undefined {
  const feedback = Array.from({ length: count }, (_, index) => aFeedback(index, first[index]));
  const pullRequest = { metadata: { name: "p" }, status: { prompted: 2_000, feedback } } as PullRequest;
  return admittedStatus(pullRequest, aFeedback("new", "Waiting", 0), 30)?.feedback?.map(({ id }) => id);
}

describe("feedback that is kept of a pull request", () => {
  it.each([
    { before: mostFeedback - 2, want: mostFeedback - 1, oldest: "f0" },
    { before: mostFeedback - 1, want: mostFeedback, oldest: "f0" },
    { before: mostFeedback, want: mostFeedback, oldest: "f1" },
  ])("with $before before it, is $want and the oldest is $oldest", ({ before, want, oldest }) => {
    const kept = keptAfter(before);
    expect(kept).toHaveLength(want);
    expect([kept?.[0], kept?.at(-1)]).toEqual([oldest, "fnew"]);
  });

  it.each<Progress>(["Sent", "Dropped", "GivenUp"])(
    "loses the oldest that has ended as %s, and none that waits",
    (end) => {
      const kept = keptAfter(mostFeedback, ["Waiting", "Waiting", end]);
      expect(kept?.slice(0, 3)).toEqual(["f0", "f1", "f3"]);
    },
  );

  it("takes none more where all of it waits", () => {
    expect(
      keptAfter(
        mostFeedback,
        Array.from({ length: mostFeedback }, () => "Waiting"),
      ),
    ).toBeUndefined();
  });

  it("counts what was admitted in all", () => {
    const pullRequest = { metadata: { name: "p" }, status: { prompted: 3 } } as PullRequest;
    expect(admittedStatus(pullRequest, aFeedback("new"), 30)?.prompted).toBe(4);
  });

  it.each<{ cap: AttemptCap; agoMs: number; oldest: string | undefined }>([
    { cap: 1_000, agoMs: dayMs, oldest: undefined },
    { cap: 1_000, agoMs: dayMs + 1, oldest: "f2" },
    { cap: "Unlimited", agoMs: dayMs, oldest: "f2" },
  ])("with a cap of $cap and what ended all $agoMs ms ago, begins with $oldest", ({ cap, agoMs, oldest }) => {
    const feedback = Array.from({ length: mostFeedback }, (_, index) =>
      index === 0 ? aFeedback(0, "Waiting") : aFeedback(index, "Sent", agoMs),
    );
    const pullRequest = { metadata: { name: "p" }, status: { feedback } } as PullRequest;
    const kept = admittedStatus(pullRequest, aFeedback("new", "Waiting", 0), cap)?.feedback;
    expect(kept?.[1]?.id).toBe(oldest);
  });
});

function aSkip(id: string, reason = "AutofixDisabled"): SkippedFeedback {
  return { id, kind: "Comment", objectID: 1, eventUID: "e", time: "2026-05-04T10:00:00.000Z", reason, message: "m" };
}

/** A PullRequest that skipped feedback of these names, the latest first. */
function skipping(skips: readonly string[], skipped = skips.length): PullRequest {
  return { metadata: { name: "p" }, status: { skipped, skips: skips.map((id) => aSkip(id)) } } as PullRequest;
}

describe("feedback that is skipped", () => {
  it.each([
    { name: "the first", before: undefined, want: { skipped: 1, ids: ["new"] } },
    { name: "another", before: ["a"], want: { skipped: 2, ids: ["new", "a"] } },
    { name: "the latest again", before: ["new", "a"], want: { skipped: 2, ids: ["new", "a"] } },
    { name: "an earlier one again", before: ["a", "new"], want: { skipped: 2, ids: ["new", "a"] } },
  ])("is the latest of the list, and counted once: $name", ({ before, want }) => {
    const status = skippedStatus(before ? skipping(before) : ({ metadata: {} } as PullRequest), aSkip("new"));
    expect({ skipped: status.skipped, ids: status.skips?.map(({ id }) => id) }).toEqual(want);
  });

  it("says the check that stopped it last", () => {
    expect(skippedStatus(skipping(["a"]), aSkip("a", "AttemptLimit")).skips).toEqual([aSkip("a", "AttemptLimit")]);
  });

  it.each([
    { before: mostSkips - 1, want: mostSkips, last: "f0" },
    { before: mostSkips, want: mostSkips, last: "f1" },
  ])("is one of $want that are kept after $before before it", ({ before, want, last }) => {
    const names = Array.from({ length: before }, (_, index) => `f${before - 1 - index}`);
    const { skips, skipped } = skippedStatus(skipping(names, 200), aSkip("new"));
    expect({ kept: skips?.length, last: skips?.at(-1)?.id, skipped }).toEqual({ kept: want, last, skipped: 201 });
  });

  it("is skipped no more once it is admitted", () => {
    const status = admittedStatus(skipping(["fnew", "a"]), aFeedback("new", "Waiting"), 30);
    expect(status?.skips?.map(({ id }) => id)).toEqual(["a"]);
  });
});
