import { describe, expect, it } from "vitest";

import { readGitHubEvent, type Wanted } from "./github-event.ts";

const repository = { id: 22, full_name: "Acme/API" };
const ann = { id: 11, login: "ann", type: "User" };

interface Sent {
  action?: string;
  body?: string | null;
  user?: object | null;
  /** Number of the repository that its branch is in; null where that is gone. */
  from?: number | null;
}

/** What is kept of a review that was submitted. */
function kept({ action = "submitted", body = null, user = ann, from = 22 }: Sent, wanted: Partial<Wanted> = {}) {
  const event = {
    action,
    installation: { id: 1 },
    repository,
    pull_request: { number: 7, head: { repo: from === null ? null : { id: from } } },
    review: { id: 31, body, user },
  };
  return readGitHubEvent(event, "pull_request_review", { slug: "helper", pullRequests: undefined, ...wanted }).event;
}

const place = { repository: { id: 22, name: "Acme/API" }, number: 7, subjectType: "PullRequest", reviewID: 31 };
const asked = { action: "Asked", ...place, actor: { id: 11, login: "ann" } };
const opening = { pullRequests: "Draft" } as const;

describe("a review whose text mentions the App", () => {
  it.each<{ name: string; sent: Sent; wanted?: Partial<Wanted> }>([
    { name: "where no pull requests are opened", sent: {} },
    { name: "where pull requests are opened", sent: {}, wanted: opening },
    { name: "on the pull request of a fork", sent: { from: 23 }, wanted: opening },
    { name: "on one whose fork is gone", sent: { from: null } },
  ])("asks for work $name, and its text is not kept", ({ sent, wanted }) => {
    expect(kept({ body: "@Helper fix it", ...sent }, wanted)).toEqual(asked);
  });

  it.each<{ name: string; sent: Sent }>([
    { name: "of a bot", sent: { user: { ...ann, type: "Bot" } } },
    { name: "of an account that is gone", sent: { user: null } },
  ])("$name asks for nothing, and is feedback where pull requests are opened", ({ sent }) => {
    const review = { body: "@helper fix it", ...sent };
    expect(kept(review, opening)).toEqual({ action: "Reviewed", ...place });
    expect(kept(review)).toBe("reviews without a mention are not handled");
  });

  it.each(["edited", "dismissed"])("is not handled when it was %s", (action) => {
    expect(kept({ action, body: "@helper fix it" }, opening)).toBe(
      "reviews that were changed or dismissed are not handled",
    );
  });
});

describe("a review without a mention", () => {
  it.each([null, "", "Fix it.", "@helperbot fix it", "> @helper fix it"])("%j is feedback alone", (body) => {
    expect(kept({ body }, opening)).toEqual({ action: "Reviewed", ...place });
    expect(kept({ body })).toBe("reviews without a mention are not handled");
  });

  it("on the pull request of a fork is none", () => {
    expect(kept({ body: "Fix it.", from: 23 }, opening)).toBe("pull requests of forks are not handled");
  });
});
