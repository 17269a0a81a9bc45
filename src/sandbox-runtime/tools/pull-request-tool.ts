import { z } from "zod";
import { protocolLimits } from "../../api/runtime/limits.ts";
import { tool } from "./tool.ts";

const { pullRequestTitleCharacters: titleCharacters, pullRequestBodyCharacters: bodyCharacters } = protocolLimits;

/** The tool by its name. */
export const pullRequestTools = {
  "request-pull-request": tool({
    description:
      "Asks for a pull request at GitHub of the branch that you push while you work on this prompt, with this title and text. It is opened after your answer, where this project allows it, and once: a pull request that the branch has already stays as it is. Of several requests during one prompt the last counts.",
    input: z.object({
      title: z
        .string()
        .min(1)
        .max(titleCharacters)
        .describe(`One line that says what the change does, at most ${titleCharacters} characters.`),
      body: z
        .string()
        .max(bodyCharacters)
        .default("")
        .describe(
          `What was changed and why, in Markdown, at most ${bodyCharacters} characters. Without it your answer is the text.`,
        ),
    }),
    request: ({ title, body }) => ({ type: "pullRequest", title, body }),
  }),
};
