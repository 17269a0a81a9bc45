import { describe, expect, it } from "vitest";

import { mostFeedback, type PullRequest, type TrackedFeedback } from "../../../api/v1alpha1/index.ts";
import { admittedStatus } from "./lifecycle.ts";

type Progress = TrackedFeedback["progress"];

function aFeedback(id: number | string, progress: Progress = "Sent"): TrackedFeedback {
  const admittedTime = "2026-05-04T10:00:00.000Z";
  return { id: `f${id}`, kind: "Comment", objectID: 1, eventUID: "e", admittedTime, promptName: "p", progress };
}

/** Names of what is kept once one more is admitted, beside so many of which these first ones have not all ended. */
function keptAfter(count: number, first: readonly Progress[] = []): string[] | undefined {
  const feedback = Array.from({ length: count }, (_, index) => aFeedback(index, first[index]));
  const pullRequest = { metadata: { name: "p" }, status: { prompted: 2_000, feedback } } as PullRequest;
  return admittedStatus(pullRequest, aFeedback("new", "Waiting"))?.feedback?.map(({ id }) => id);
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
    expect(admittedStatus(pullRequest, aFeedback("new"))?.prompted).toBe(4);
  });
});
