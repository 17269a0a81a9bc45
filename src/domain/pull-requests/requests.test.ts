import { describe, expect, it } from "vitest";

import { aPrompt } from "../../../test/support/builders.ts";
import { annotations, type Prompt, type PullRequest } from "../../api/v1alpha1/index.ts";
import { openRequest, requestOf } from "./requests.ts";

const now = new Date("2026-05-04T10:00:00.000Z");
const dayMs = 86_400_000;
const ago = (ms: number): string => new Date(now.getTime() - ms).toISOString();

function asked(value: string, branch = "fix"): Prompt {
  const metadata = { annotations: { [annotations.pullRequestRequestedAt]: value } };
  return aPrompt({ metadata, status: { result: { branch } } });
}

describe("a request for a pull request", () => {
  it.each<{ name: string; value: string; counts: boolean }>([
    { name: "of now", value: ago(0), counts: true },
    { name: "of a day ago less a millisecond", value: ago(dayMs - 1), counts: true },
    { name: "of a day ago", value: ago(dayMs), counts: false },
    { name: "of a clock that is ahead by 5 minutes", value: ago(-300_000), counts: true },
    { name: "of a clock that is ahead by a millisecond more", value: ago(-300_001), counts: false },
    { name: "that is no time", value: "please", counts: false },
    { name: "that is empty", value: "", counts: false },
    { name: "of 64 characters", value: `${now.toUTCString()} (${"x".repeat(32)})`, counts: true },
    { name: "of 65 characters", value: `${now.toUTCString()} (${"x".repeat(33)})`, counts: false },
  ])("$name counts: $counts", ({ value, counts }) => {
    expect(requestOf(asked(value), now)).toBe(counts ? value : undefined);
  });

  it("is none without the annotation", () => {
    expect(requestOf(aPrompt({ status: { result: { branch: "fix" } } }), now)).toBeUndefined();
  });
});

describe("the request that was not followed yet", () => {
  const pullRequest = (requestedAt?: string): Pick<PullRequest, "spec" | "status"> => ({
    spec: { head: "fix" } as PullRequest["spec"],
    status: { requestedAt },
  });

  it.each<{ name: string; followed?: string; prompts: Prompt[]; want: string | undefined }>([
    { name: "the first", prompts: [asked(ago(5))], want: ago(5) },
    { name: "the latest of two", prompts: [asked(ago(9)), asked(ago(5)), asked(ago(7))], want: ago(5) },
    { name: "one after another that was followed", followed: ago(9), prompts: [asked(ago(5))], want: ago(5) },
    { name: "none where it was followed", followed: ago(5), prompts: [asked(ago(5))], want: undefined },
    { name: "none before another that was followed", followed: ago(5), prompts: [asked(ago(9))], want: undefined },
    { name: "none for another branch", prompts: [asked(ago(5), "other")], want: undefined },
  ])("$name", ({ followed, prompts, want }) => {
    expect(openRequest(pullRequest(followed), prompts, now)).toBe(want);
  });
});
