import { z } from "zod";
import { matching, text, Time } from "./schema.ts";

/** An agent's report at the end of a prompt; untrusted, bounded text. */
export const Result = z
  .object({
    summary: text(4096).optional().describe("summary is the agent's own summary, at most 4,096 characters."),
    branch: text(255).optional().describe("branch is the branch that was pushed, at most 255 characters."),
    commit: text(64)
      .regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/)
      .optional()
      .describe("commit is the full id of the branch's last commit."),
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
