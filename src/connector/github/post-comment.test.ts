import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";

import { githubApp } from "../../../test/support/github-app.ts";
import type { GitHubServer } from "../../../test/support/github-model.ts";
import { startGitHubServer } from "../../../test/support/github-server.ts";
import { NotLeadingError } from "../../kube/outcome.ts";
import { postComment } from "./post-comment.ts";

const place = { repository: "acme/api", number: 7 };
let server: GitHubServer;

beforeAll(async () => {
  server = await startGitHubServer();
  server.issues.push({ ...place, title: "Fix the login", body: null });
});
afterAll(() => server.close());
beforeEach(() => {
  server.comments.splice(0);
});

it.each([undefined, "2026-05-04T10:00:00Z"])(
  "comments while this replica leads, and not after it, with an earlier call at %s",
  async (callTime) => {
    let leads = true;
    const { github, integration } = githubApp(server, () => {
      if (!leads) throw new NotLeadingError("another leads");
    });
    const post = (id: string): Promise<void> =>
      postComment({ github }, integration, { id, github: place, callTime }, "Done.");
    await post("p1");
    expect(server.comments).toHaveLength(1);
    leads = false;
    await expect(post("p2")).rejects.toThrow(NotLeadingError);
    expect(server.comments).toHaveLength(1);
  },
);
