import { z } from "zod";
import { atomicOf, guardedAs } from "./schema.ts";

const AgentShape = z
  .object({
    command: atomicOf(z.array(z.string().min(1).max(4096)).min(1).max(64)).describe(
      "command is the agent's program and its arguments, 1 to 64 entries of at most 4,096 characters; no shell is involved.",
    ),
    protocol: z
      .enum(["exec", "acp"])
      .default("exec")
      .describe(
        "protocol is how the runtime talks to the agent. exec: the command runs for each prompt, with the prompt on standard input, text or JSON lines on standard output, and the exit status as verdict. acp: the Agent Client Protocol, version 1, on standard input and output, with one conversation for all prompts. Defaults to exec.",
      ),
    permissionRequests: z
      .enum(["Allow", "Reject"])
      .default("Allow")
      .describe(
        "permissionRequests is the answer to an acp agent that asks whether it may use a tool. Allow permits that use; Reject refuses it, and the turn goes on. Defaults to Allow, as the sandbox limits what the agent can do.",
      ),
  })
  .describe("Agent is the coding agent that a session runs.");

/** A command in whose environment the secrets of its scopes are. */
export const Agent = guardedAs(AgentShape, "Agent");
export type Agent = z.infer<typeof Agent>;
