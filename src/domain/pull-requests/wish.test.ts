import { describe, expect, it } from "vitest";
import { aSession } from "../../../test/support/builders.ts";
import type { PullRequest, PullRequestStatus, Reason, Session } from "../../api/v1alpha1/index.ts";
import { isFollowed, pullRequestOf, type PullRequestWish, wishFor } from "./wish.ts";

const session = aSession({
  metadata: { name: "fix", uid: "s1" },
  spec: { target: { repositoryRefs: [{ name: "api" }, { name: "docs" }] } },
});
const of = (uid: string, repository = "api"): Partial<PullRequest["spec"]> => ({
  sessionRef: { name: "fix", uid },
  repositoryRef: { name: repository },
});

function pullRequest(spec: Partial<PullRequest["spec"]>, status: PullRequestStatus = {}, reason?: Reason): PullRequest {
  const condition = {
    type: "Ready",
    status: "False",
    message: "",
    lastTransitionTime: "2026-05-04T10:00:00Z",
  } as const;
  return {
    metadata: { name: "github-1" },
    spec: { head: "fix-1", ...spec } as PullRequest["spec"],
    status: { ...status, ...(reason && { conditions: [{ ...condition, reason }] }) },
  };
}

describe("what is wished of a pull request", () => {
  it.each<{ name: string; found: PullRequest | undefined; want: PullRequestWish | undefined }>([
    { name: "to open it where none is made", found: undefined, want: "Open" },
    { name: "another try where it waits for its first call", found: pullRequest(of("s1")), want: "TryAgain" },
    {
      name: "another try where it waits for the next",
      found: pullRequest(of("s1"), { tries: 2 }, "PullRequestPending"),
      want: "TryAgain",
    },
    {
      name: "another try where GitHub refused it",
      found: pullRequest(of("s1"), {}, "PullRequestRefused"),
      want: "TryAgain",
    },
    {
      name: "its state where it is open",
      found: pullRequest(of("s1"), { number: 17, githubState: "Open" }),
      want: "ReadState",
    },
    {
      name: "its state where it is merged",
      found: pullRequest(of("s1"), { number: 17, githubState: "Merged" }),
      want: "ReadState",
    },
    { name: "nothing where another session owns it", found: pullRequest(of("s2"), { number: 17 }), want: undefined },
    { name: "nothing where that session has it refused", found: pullRequest(of("s2")), want: undefined },
  ])("is $name", ({ found, want }) => {
    expect(wishFor(found, session)).toBe(want);
  });
});

describe("the pull request of a branch", () => {
  const own = pullRequest(of("s1"));
  const others = pullRequest(of("s2"));
  const ofEnvironment = (repositories?: string[]): Session =>
    aSession({
      metadata: { uid: "s1" },
      spec: { target: { environmentRef: { name: "shop" } } },
      status: { repositories },
    });

  it.each<{ name: string; of?: Session; all: PullRequest[]; want: PullRequest | undefined }>([
    { name: "the session's own before another's", all: [others, own], want: own },
    { name: "another's of the same repository", all: [others], want: others },
    { name: "none of another branch", all: [pullRequest({ ...of("s1"), head: "fix-2" })], want: undefined },
    { name: "none of another's in the second repository", all: [pullRequest(of("s2", "docs"))], want: undefined },
    { name: "another's of an environment's first repository", of: ofEnvironment(["api"]), all: [others], want: others },
    { name: "none of an environment's second", of: ofEnvironment(["docs", "api"]), all: [others], want: undefined },
    { name: "any where the repositories are not known yet", of: ofEnvironment(), all: [others], want: others },
  ])("is $name", ({ of: asking = session, all, want }) => {
    expect(pullRequestOf(all, asking, "fix-1")).toBe(want);
  });
});

describe("a request", () => {
  const at = "2026-05-04T10:00:00.000Z";
  const before = "2026-05-04T09:59:59.999Z";
  const after = "2026-05-04T10:00:00.001Z";

  it.each<{ name: string; found: PullRequest; want: boolean }>([
    { name: "that opened it", found: pullRequest(of("s1"), { number: 17, requestedAt: at }), want: true },
    {
      name: "before one that was followed",
      found: pullRequest(of("s1"), { number: 17, requestedAt: after }),
      want: true,
    },
    { name: "after one that was", found: pullRequest(of("s1"), { number: 17, requestedAt: before }), want: false },
    { name: "where none ever was", found: pullRequest(of("s1"), { number: 17 }), want: false },
    {
      name: "that GitHub refused",
      found: pullRequest(of("s1"), { requestedAt: at }, "PullRequestRefused"),
      want: true,
    },
    {
      name: "after another that GitHub refused",
      found: pullRequest(of("s1"), { requestedAt: before }, "PullRequestRefused"),
      want: false,
    },
    {
      name: "whose call is under way",
      found: pullRequest(of("s1"), { requestedAt: at }, "PullRequestPending"),
      want: false,
    },
    { name: "where another session came first", found: pullRequest(of("s2")), want: true },
  ])("$name is followed: $want", ({ found, want }) => {
    expect(isFollowed(found, session, at)).toBe(want);
  });
});
