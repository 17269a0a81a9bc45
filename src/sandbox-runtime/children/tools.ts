import { z } from "zod";

import type { ChildRequest } from "../../api/runtime/children.ts";

const Prompt = z.string().min(1).max(64_000);
const Child = z.string().max(63).describe("The child's name, as spawn-child and list-children return it.");

/** A tool of the agent for child sessions. */
export interface ChildTool<Input extends z.ZodObject = z.ZodObject> {
  description: string;
  input: Input;
  /** `requestId` is new for each use. */
  request: (input: z.output<Input>, requestId: string) => ChildRequest;
}

function tool<Input extends z.ZodObject>(made: ChildTool<Input>): ChildTool {
  return made;
}

/** The tools by name. */
export const childTools: Readonly<Record<string, ChildTool>> = {
  "spawn-child": tool({
    description:
      "Starts a child session: another agent in its own sandbox, on the same repositories as this session. It works independently; get-child shows its progress.",
    input: z.object({
      prompt: Prompt.describe("The child's task, at most 64,000 characters. The child does not see this conversation."),
      title: z.string().max(200).optional().describe("A name for people, at most 200 characters."),
    }),
    request: ({ prompt, title }, requestId) => ({ op: "spawn", requestId, prompt, title }),
  }),
  "send-child-prompt": tool({
    description: "Sends a follow-up prompt to a child session; it is processed after the child's earlier prompts.",
    input: z.object({ child: Child, prompt: Prompt.describe("At most 64,000 characters.") }),
    request: ({ child, prompt }, requestId) => ({ op: "prompt", requestId, child, prompt }),
  }),
  "list-children": tool({
    description: "Lists this session's child sessions and whether they are working.",
    input: z.object({}),
    request: () => ({ op: "list" }),
  }),
  "get-child": tool({
    description:
      "Shows a child session with its latest prompts, how they ended and their results: summary, branch, commit.",
    input: z.object({ child: Child }),
    request: ({ child }) => ({ op: "get", child }),
  }),
  "cancel-child": tool({
    description: "Cancels all unfinished prompts of a child session and of its own children.",
    input: z.object({ child: Child }),
    request: ({ child }) => ({ op: "cancel", child }),
  }),
};
