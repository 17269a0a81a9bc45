import { z } from "zod";

import type { ChildRequest } from "../../api/runtime/children.ts";
import { type Tool, tool } from "./tool.ts";

const Prompt = z.string().min(1).max(64_000);
const Child = z.string().max(63).describe("The child's name, as spawn-child and list-children return it.");

const child = (request: ChildRequest): { type: "child"; request: ChildRequest } => ({ type: "child", request });

/** The tools for child sessions by name. */
export const childTools: Readonly<Record<string, Tool>> = {
  "spawn-child": tool({
    description:
      "Starts a child session: another agent in its own sandbox, on the same repositories as this session. It works independently; get-child shows its progress.",
    input: z.object({
      prompt: Prompt.describe("The child's task, at most 64,000 characters. The child does not see this conversation."),
      title: z.string().max(200).optional().describe("A name for people, at most 200 characters."),
    }),
    request: ({ prompt, title }, requestId) => child({ op: "spawn", requestId, prompt, title }),
  }),
  "send-child-prompt": tool({
    description: "Sends a follow-up prompt to a child session; it is processed after the child's earlier prompts.",
    input: z.object({ child: Child, prompt: Prompt.describe("At most 64,000 characters.") }),
    request: ({ child: name, prompt }, requestId) => child({ op: "prompt", requestId, child: name, prompt }),
  }),
  "list-children": tool({
    description: "Lists this session's child sessions and whether they are working.",
    input: z.object({}),
    request: () => child({ op: "list" }),
  }),
  "get-child": tool({
    description:
      "Shows a child session with its latest prompts, how they ended and their results: summary, branch, commit, pushes.",
    input: z.object({ child: Child }),
    request: ({ child: name }) => child({ op: "get", child: name }),
  }),
  "cancel-child": tool({
    description: "Cancels all unfinished prompts of a child session and of its own children.",
    input: z.object({ child: Child }),
    request: ({ child: name }) => child({ op: "cancel", child: name }),
  }),
};
