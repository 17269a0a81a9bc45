import { z } from "zod";
import { matching, Time } from "./schema.ts";

/** What an agent reported at the end of a prompt; untrusted text, bounded. */
export const Result = z
  .object({
    summary: z
      .string()
      .max(4096)
      .optional()
      .describe("summary is the agent's own last word, at most 4,096 characters."),
    branch: z.string().max(255).optional().describe("branch is the branch that was pushed, at most 255 characters."),
    commit: z
      .string()
      .max(64)
      .regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/)
      .optional()
      .describe("commit is the full id of the branch's last commit."),
  })
  .describe("Result is what the agent reported.");
export type Result = z.infer<typeof Result>;

const Tokens = z.int().min(0);

/** An amount of US dollars as decimal text. */
export function costUsd(mostCharacters: number): z.ZodString {
  return matching(z.string().max(mostCharacters), /^[0-9]+(\.[0-9]{1,6})?$/, "must be an amount such as 0.25");
}

/** What an agent says that a prompt used; untrusted. */
export const Usage = z
  .object({
    inputTokens: Tokens.optional().describe("inputTokens is how many tokens the model read."),
    outputTokens: Tokens.optional().describe("outputTokens is how many tokens the model wrote."),
    costUsd: costUsd(32).optional().describe("costUsd is the price in US dollars, with up to 6 decimal places."),
  })
  .describe("Usage is what a prompt used.");
export type Usage = z.infer<typeof Usage>;

/** The next clock that runs out. */
export const NextDeadline = z
  .object({
    time: Time.describe("time is when the deadline passes."),
    reason: z.string().max(64).describe("reason is what the object will be failed with then."),
  })
  .describe("NextDeadline is the next instant at which a clock ends something.");
export type NextDeadline = z.infer<typeof NextDeadline>;
