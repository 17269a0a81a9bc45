import { z } from "zod";

import { mediaLimits } from "../../api/v1alpha1/prompt-media.ts";

const { perPrompt } = mediaLimits;

/** The tool by its name; it is offered where the operator lets agents attach files. */
export const attachFileTool = {
  name: "attach-file",
  description: `Attaches a file of the workspace to your answer to this prompt: a PNG, JPEG, WebP or GIF image or an MP4 video. People see it below your answer where the request came from Slack. An answer takes the first ${perPrompt} files, of at most 10 MiB each and 25 MiB together; people read how many others are left out, so attach only what they asked for. A file that changes afterwards is sent as it was.`,
  input: z.object({
    path: z
      .string()
      .min(1)
      .max(4_096)
      .describe("Where the file is, absolute or below your working directory; at most 4,096 characters."),
  }),
} as const;
