import type { z } from "zod";
import type { ToolRequest } from "../local/messages.ts";

/** A tool of the agent that the runtime answers. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  description: string;
  input: Input;
  /** `requestId` is new for each use. */
  request: (input: z.output<Input>, requestId: string) => ToolRequest;
}

export function tool<Input extends z.ZodObject>(made: Tool<Input>): Tool {
  return made;
}
