import { z } from "zod";
import { atomicOf, integer, matching, text } from "./schema.ts";

const Switch = z.enum(["Enabled", "Disabled"]);

const BotLogin = matching(
  text(100),
  /^[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?(?:\[bot\])?$/,
  "must be the login of a bot at GitHub, such as reviewer or reviewer[bot]",
);

/** Settings of autofix as one scope has them; what is left out is inherited. */
export const Autofix = z
  .object({
    mode: Switch.optional().describe(
      "mode is Enabled where feedback on pull requests of sessions becomes prompts of those sessions. Defaults to Disabled.",
    ),
    reviews: Switch.optional().describe(
      "reviews are taken, each with all its line comments, unless Disabled. Defaults to Enabled.",
    ),
    pullRequestComments: Switch.optional().describe(
      "pullRequestComments in the conversation that do not mention the App are taken unless Disabled. Defaults to Enabled.",
    ),
    ownReviews: Switch.optional().describe(
      "ownReviews of the App itself are taken unless Disabled. Defaults to Enabled.",
    ),
    allowedReviewBots: atomicOf(z.array(BotLogin).max(100))
      .optional()
      .describe(
        "allowedReviewBots are the logins of bots whose reviews are taken, with or without [bot], compared without case, at most 100. Defaults to none.",
      ),
    attempts: z
      .enum(["Limited", "Unlimited"])
      .optional()
      .describe("attempts is whether maxAttemptsPer24Hours holds; with Unlimited it does not. Defaults to Limited."),
    maxAttemptsPer24Hours: integer(1, 1_000)
      .optional()
      .describe(
        "maxAttemptsPer24Hours is how many prompts one pull request may have in 24 hours, 1 to 1,000. Defaults to 30.",
      ),
  })
  .describe("Autofix has the agent work in what is said of its pull requests.");
export type Autofix = z.infer<typeof Autofix>;
