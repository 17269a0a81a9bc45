import { z } from "zod";
import { atomicOf, matching, text, Time } from "./schema.ts";

const CommitId = text(64).regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/);

/** A branch that git pushed. */
export const Push = z.object({
  repository: text(63).describe(
    "repository is the name of the Repository whose checkout it was pushed from, at most 63 characters.",
  ),
  branch: text(255).describe("branch is the branch that was pushed, at most 255 characters."),
  commit: CommitId.describe("commit is the full id of the commit that it was pushed at, the last time."),
});
export type Push = z.infer<typeof Push>;

/** Most branches that a result names. */
export const mostPushes = 20;

/** An agent's report at the end of a prompt; untrusted, bounded text. */
export const Result = z
  .object({
    summary: text(4096).optional().describe("summary is the agent's own summary, at most 4,096 characters."),
    branch: text(255).optional().describe("branch is the branch that was pushed, at most 255 characters."),
    commit: CommitId.optional().describe("commit is the full id of the branch's last commit."),
    pushes: atomicOf(z.array(Push).max(mostPushes))
      .optional()
      .describe(
        "pushes are the branches that git pushed from the session's checkouts during the prompt, at most 20; branch and commit are that of the first Repository, the one that is checked out before others.",
      ),
  })
  .describe("Result is what the agent reported.");
export type Result = z.infer<typeof Result>;

const Tokens = z.int().min(0);

/** An amount of US dollars as decimal text. */
export function costUsd(mostCharacters: number): z.ZodString {
  return matching(text(mostCharacters), /^[0-9]+(\.[0-9]{1,6})?$/, "must be an amount such as 0.25");
}

/** Usage that an agent reported; untrusted. */
export const Usage = z
  .object({
    inputTokens: Tokens.optional().describe("inputTokens is the number of tokens that the model read."),
    outputTokens: Tokens.optional().describe("outputTokens is the number of tokens that the model wrote."),
    costUsd: costUsd(32).optional().describe("costUsd is the cost in US dollars, with up to 6 decimal places."),
    sandboxCostUsd: costUsd(32)
      .optional()
      .describe(
        "sandboxCostUsd is what all prompts of the sandbox had cost when this one ended; the session's cost is counted by it, so that nothing counts twice.",
      ),
  })
  .describe("Usage is a prompt's tokens and cost as the agent reported them.");
export type Usage = z.infer<typeof Usage>;

export const NextDeadline = z
  .object({
    time: Time.describe("time is when the deadline is reached."),
    reason: text(64).describe("reason is the reason with which the object will end then."),
  })
  .describe("NextDeadline is the next time limit that will be reached.");
export type NextDeadline = z.infer<typeof NextDeadline>;
