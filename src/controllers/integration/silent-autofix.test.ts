import { describe, expect, it } from "vitest";

import type { Autofix, GitHubSettings, Integration, Repository } from "../../api/v1alpha1/index.ts";
import { silentAutofix } from "./silent-autofix.ts";

const all = ["issue_comment", "pull_request_review"];

interface Given {
  github?: Partial<GitHubSettings>;
  suspend?: boolean;
  /** What the App is subscribed to. */
  events?: string[] | undefined;
  ofRepository?: Autofix;
}

function silent({ github, suspend = false, events, ofRepository }: Given) {
  const settings = { repositories: [{ name: "api" }], pullRequests: "Draft", autofix: { mode: "Enabled" }, ...github };
  const integration = {
    metadata: { name: "github" },
    spec: { type: "GitHub", suspend, github: settings },
    status: events && { github: { events } },
  } as unknown as Integration;
  const repository = (name: string, autofix?: Autofix): Repository =>
    ({ metadata: { name }, spec: { url: "u", autofix } }) as unknown as Repository;
  return silentAutofix(integration, [repository("api", ofRepository), repository("other", { mode: "Enabled" })]);
}

describe("autofix that is on", () => {
  it("gets no feedback where no pull requests are watched, and says what to set", () => {
    expect(silent({ github: { pullRequests: undefined } })).toMatchObject({
      reason: "PullRequestsNotWatched",
      message: expect.stringContaining("Set github.pullRequests to Draft, Ready or OnRequest") as string,
    });
  });

  it.each<{ name: string; given: Given; missed: string | undefined }>([
    { name: "all", given: { events: all }, missed: undefined },
    { name: "what is not known yet", given: { events: undefined }, missed: undefined },
    { name: "comments alone", given: { events: ["issue_comment"] }, missed: "pull_request_review" },
    { name: "reviews alone", given: { events: ["pull_request_review"] }, missed: "issue_comment" },
    { name: "nothing", given: { events: [] }, missed: "pull_request_review and issue_comment" },
    {
      name: "comments alone, where reviews are off",
      given: { events: ["issue_comment"], ofRepository: { reviews: "Disabled" } },
      missed: undefined,
    },
    {
      name: "reviews alone, where comments are off",
      given: { events: ["pull_request_review"], ofRepository: { pullRequestComments: "Disabled" } },
      missed: undefined,
    },
  ])("with an App that is subscribed to $name misses $missed", ({ given, missed }) => {
    const found = silent(given);
    expect(found?.reason).toBe(missed && "EventsNotSubscribed");
    if (missed !== undefined) expect(found?.message).toMatch(new RegExp(`subscribe to ${missed}$`));
  });

  it("is that of one served Repository, where the Integration has it off", () => {
    const github = { pullRequests: undefined, autofix: undefined };
    expect(silent({ github, ofRepository: { mode: "Enabled" } })?.reason).toBe("PullRequestsNotWatched");
  });
});

it.each<{ name: string; given: Given }>([
  { name: "is off", given: { github: { pullRequests: undefined, autofix: undefined } } },
  {
    name: "is off for its one Repository",
    given: { github: { pullRequests: undefined }, ofRepository: { mode: "Disabled" } },
  },
  { name: "has no Repository", given: { github: { pullRequests: undefined, repositories: [] } } },
  { name: "is of an Integration that is suspended", given: { github: { pullRequests: undefined }, suspend: true } },
])("nothing is said of autofix that $name", ({ given }) => {
  expect(silent(given)).toBeUndefined();
});
