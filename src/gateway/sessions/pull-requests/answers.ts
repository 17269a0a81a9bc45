import { z } from "zod";
import { MaybeInstant } from "../../http/answers.ts";

const PullRequestShape = z
  .object({
    id: z.string().describe("<namespace>.<name> of the PullRequest."),
    sessionId: z.string().describe("<namespace>.<name> of the Session that owns it."),
    repository: z.string().describe("OWNER/NAME at GitHub in lower case."),
    number: z.int().nullable().describe("Its number at GitHub; null before it is open."),
    url: z.string().nullable().describe("Its page at GitHub; null before it is open."),
    state: z
      .enum(["draft", "open", "merged", "closed"])
      .nullable()
      .describe("What GitHub last said of it; null before it is open."),
    reason: z
      .string()
      .describe("The reason of its condition Ready, such as pull_request_refused; empty before it has one."),
    message: z.string().describe("The condition's message, for people."),
  })
  .meta({ id: "PullRequest" });

export const PullRequestOfPrompt = z.object({
  branch: z.string().nullable().describe("The branch that the prompt ended with; null without one. Not verified."),
  wish: z
    .enum(["open", "try_again", "read_state"])
    .nullable()
    .describe(
      "What asking for it does now: opens it, tries anew to open it, or reads its state at GitHub. Null where another session owns it, without a branch, and where the obstacle is base_branch.",
    ),
  requestedAt: MaybeInstant.describe(
    "When it was asked for on this prompt, where that has not been followed yet, in milliseconds since 1970-01-01T00:00:00Z; else null. A request counts for a day.",
  ),
  obstacle: z
    .enum(["no_integration", "base_branch"])
    .nullable()
    .describe(
      "Why it is not opened: no Integration of the namespace has github.pullRequests and the session's first Repository, though it can be asked for; or pull requests of that Repository go into this very branch (base_branch). Null where it is opened, or is open.",
    ),
  pullRequest: PullRequestShape.nullable().describe("Null where none is made yet."),
});
export type PullRequestOfPrompt = z.output<typeof PullRequestOfPrompt>;
