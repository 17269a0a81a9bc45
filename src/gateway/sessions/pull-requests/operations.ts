import type { NeededAccess } from "../../http/access.ts";
import type { Operation } from "../../http/router.ts";
import { PullRequestOfPrompt } from "./answers.ts";

const path = "/sessions/{id}/prompts/{promptId}/pull-request";
const listPullRequests: NeededAccess = { verb: "list", resource: "pullrequests", to: "namespace" };

export const pullRequestOperations = {
  getPullRequest: {
    method: "get",
    path,
    summary: "The pull request of the branch that a prompt ended with",
    permission: "get prompts and list pullrequests",
    access: [{ verb: "get", resource: "prompts", to: "prompt" }, listPullRequests],
    success: { 200: { description: "As the connector last wrote it.", body: PullRequestOfPrompt } },
  },
  requestPullRequest: {
    method: "post",
    path,
    summary: "Have the pull request of the prompt's branch opened, tried again, or its state read at GitHub",
    permission: "patch prompts and list pullrequests",
    access: [{ verb: "patch", resource: "prompts", to: "prompt" }, listPullRequests],
    success: {
      200: {
        description: "It was done or refused by GitHub; or nothing was asked, as another session owns it.",
        body: PullRequestOfPrompt,
      },
      202: { description: "It is asked for; the connector has not done it yet.", body: PullRequestOfPrompt },
    },
    errors: ["NoBranch", "Conflict", "Refused"],
  },
} as const satisfies Record<string, Operation>;
