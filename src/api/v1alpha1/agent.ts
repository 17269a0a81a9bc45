import { z } from "zod";
import { listType } from "./schema.ts";

export const Agent = z
  .object({
    command: z
      .array(z.string().min(1).max(4096))
      .min(1)
      .max(64)
      .describe(
        "command is the agent's program and its arguments, 1 to 64 entries of at most 4,096 characters; no shell is involved.",
      )
      .meta(listType({ type: "atomic" })),
    protocol: z
      .enum(["exec"])
      .default("exec")
      .describe(
        "protocol is how the agent is spoken to. exec: the prompt on standard input, text or JSON lines out, the exit status as verdict. Defaults to exec.",
      ),
  })
  .describe("Agent is the coding agent that a session runs.");
export type Agent = z.infer<typeof Agent>;
