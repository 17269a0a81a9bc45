import { describe, expect, it } from "vitest";

import { aPrompt, aPullRequest, aSession } from "../../../../test/support/builders.ts";
import {
  annotations,
  type IntegrationEvent,
  type PullRequest,
  type PullRequestStatus,
} from "../../../api/v1alpha1/index.ts";
import { accessDenied } from "../access.ts";
import { decidePress, forgotten, verdictOfPress } from "./decide.ts";
import type { AnsweredBranch } from "./facts.ts";

const pressed = "2026-11-24T12:00:00.000Z";
const request = "2026-11-24T12:00:00.000000123Z";
const event = {
  metadata: { name: "slack-1", namespace: "tenant", uid: "0000007b-1" },
  spec: {
    integrationRef: { name: "chat", uid: "i1" },
    deliveryID: "T",
    receivedTime: pressed,
    slack: { action: "PullRequestAsked", channelID: "C0OPS", threadTS: "1.0", actor: { id: "U0ANN" } },
  },
} as const satisfies IntegrationEvent;

function pullRequest(status: PullRequestStatus, sessionUid = "s1"): PullRequest {
  return aPullRequest({
    spec: {
      integrationRef: { name: "github", uid: "g1" },
      sessionRef: { name: "other-session", uid: sessionUid },
      repositoryRef: { name: "api" },
      repository: "acme/api",
      head: "fix",
      base: "main",
    },
    status,
  });
}

const refused = (requestedAt: string): PullRequestStatus => ({
  requestedAt,
  conditions: [
    {
      type: "Ready",
      status: "False",
      reason: "PullRequestRefused",
      message: "GitHub says no.",
      lastTransitionTime: pressed,
    },
  ],
});
const opened = {
  number: 5,
  url: "https://github.com/acme/api/pull/5",
  githubState: "Draft",
  requestedAt: request,
} as const;

function step(
  change: Partial<Omit<AnsweredBranch, "prompt">> & { askedAt?: string } = {},
  { afterMs = 0, mayAsk = true }: { afterMs?: number; mayAsk?: boolean } = {},
) {
  const { askedAt, ...rest } = change;
  const prompt = aPrompt({
    metadata: { annotations: askedAt === undefined ? {} : { [annotations.pullRequestRequestedAt]: askedAt } },
    status: { result: { branch: "fix" } },
  });
  const session = aSession({ metadata: { name: "s", uid: "s1" } });
  const answered = { prompt, session, branch: "fix", pullRequest: undefined, opensWhenAsked: true, ...rest };
  return decidePress({ event, mayAsk, answered }, new Date(Date.parse(pressed) + afterMs));
}

const note = (text: string): object => ({
  kind: "tell",
  post: expect.objectContaining({
    kind: "PrivateNote",
    text: expect.stringContaining(text) as string,
    slack: { channelID: "C0OPS", threadTS: "1.0", userID: "U0ANN" },
  }) as object,
});

describe("a press", () => {
  it("asks, at its own time", () => {
    expect(step()).toMatchObject({ kind: "ask", requestedAt: request });
  });

  it("that is looked at within the hour asks; later it asks for nothing whose end nobody would be told", () => {
    expect(step({}, { afterMs: 3_599_999 })).toMatchObject({ kind: "ask", requestedAt: request });
    expect(step({}, { afterMs: 3_600_000 })).toEqual(note("pressed over an hour ago"));
  });

  it("tries anew what waits for its next try, whatever came of the last call", () => {
    const waiting = { callTime: pressed, tries: 1, requestedAt: "2026-11-24T11:00:00Z" };
    expect(step({ pullRequest: pullRequest(waiting) })).toMatchObject({ kind: "ask" });
  });

  it("tries a refused one again", () => {
    expect(step({ pullRequest: pullRequest(refused("2026-11-24T11:00:00Z")) })).toMatchObject({ kind: "ask" });
  });

  it.each([
    ["of a person who may not", {}, { mayAsk: false }, accessDenied],
    [
      "where the pull request is open",
      { pullRequest: pullRequest({ ...opened, requestedAt: undefined }) },
      {},
      "acme/api#5 is open as a draft: https://github.com/acme/api/pull/5",
    ],
    [
      "where it is merged",
      { pullRequest: pullRequest({ ...opened, requestedAt: undefined, githubState: "Merged" }) },
      {},
      "acme/api#5 is merged",
    ],
    [
      "where another session has it",
      { pullRequest: pullRequest({}, "s2") },
      {},
      "Session other-session has the pull request of fix",
    ],
    [
      "where it was asked for before",
      { askedAt: "2026-11-24T11:59:59.999Z" },
      {},
      "was asked for before, and is not open yet.",
    ],
    [
      "where another was in the same millisecond",
      { askedAt: "2026-11-24T12:00:00.000000122Z" },
      {},
      "was asked for before, and is not open yet.",
    ],
    [
      "while the call for an earlier one is under way",
      {
        askedAt: "2026-11-24T11:59:59.999Z",
        pullRequest: pullRequest({ callTime: pressed, requestedAt: "2026-11-24T11:59:59.999Z" }),
      },
      {},
      "was asked for before, and is not open yet.",
    ],
    ["where no Integration wants it", { opensWhenAsked: false }, {}, "No Integration opens pull requests"],
  ])("%s asks for nothing, and says why", (_name, change, when, text) => {
    expect(step(change, when)).toEqual(note(text));
  });

  it("of an answer that is no longer known says so", () => {
    const facts = { event, mayAsk: true, answered: undefined };
    expect(decidePress(facts, new Date(pressed))).toEqual(note(forgotten));
  });
});

describe("after the request", () => {
  const asked = { askedAt: request };

  it.each([
    [0, 1_000],
    [1_999, 1_000],
    [10_000, 5_000],
    [120_000, 60_000],
    [3_599_999, 60_000],
  ])("%i ms later it is looked at again in %i", (afterMs, ms) => {
    expect(step(asked, { afterMs })).toEqual({ kind: "wait", ms });
  });

  it("an hour later the person reads that it is not open, and what is known", () => {
    const pending = pullRequest({
      conditions: refused(pressed).conditions?.map((one) => ({ ...one, reason: "PullRequestPending" })),
    });
    expect(step({ ...asked, pullRequest: pending }, { afterMs: 3_600_000 })).toEqual(
      note("is not open after an hour. GitHub says no."),
    );
  });

  it("what was opened is told to all in the thread", () => {
    expect(step({ ...asked, pullRequest: pullRequest(opened) }, { afterMs: 5_000 })).toMatchObject({
      kind: "tell",
      post: {
        kind: "PullRequest",
        text: "Pull request acme/api#5 is open as a draft: https://github.com/acme/api/pull/5",
      },
    });
  });

  it("what GitHub refused is told to the person", () => {
    expect(step({ ...asked, pullRequest: pullRequest(refused(pressed)) }, { afterMs: 5_000 })).toEqual(
      note("could not be opened. GitHub says no."),
    );
  });
});

it.each([
  ["PullRequest", "Pull request a/b#1 is open", "PullRequestOpened", true],
  ["PrivateNote", accessDenied, "AccessDenied", false],
  ["PrivateNote", forgotten, "PullRequestNotOpened", false],
] as const)("a %s that says %s settles the event as %s", (kind, text, reason, succeeded) => {
  expect(verdictOfPress({ kind, text })).toMatchObject({ reason, succeeded });
});
