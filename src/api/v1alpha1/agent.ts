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
      .enum(["exec", "acp"])
      .default("exec")
      .describe(
        "protocol is how the agent is spoken to. exec: the prompt on standard input, text or JSON lines out, the exit status as verdict. acp: the Agent Client Protocol, version 1, on standard input and output, one conversation for all prompts. Defaults to exec.",
      ),
    permissionRequests: z
      .enum(["Allow", "Reject"])
      .default("Allow")
      .describe(
        "permissionRequests is how an acp agent is answered that asks whether it may use a tool. Allow: yes, this once. Reject: no, and the turn goes on. Defaults to Allow: the sandbox bounds what the agent can do.",
      ),
  })
  .describe("Agent is the coding agent that a session runs.");
export type Agent = z.infer<typeof Agent>;
