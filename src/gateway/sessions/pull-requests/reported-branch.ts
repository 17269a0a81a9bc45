import type { Prompt, Session } from "../../../api/v1alpha1/index.ts";
import { isSettled } from "../../../domain/prompts/prompt-state.ts";

/** The branch that a prompt of this session ended with; the agent's word for it. */
export interface ReportedBranch {
  prompt: Prompt;
  session: Session;
  branch: string;
}

/** Undefined where the prompt has not ended, or not with a branch. */
export function reportedBranch(prompt: Prompt, session: Session): ReportedBranch | undefined {
  const branch = prompt.status?.result?.branch ?? "";
  return branch !== "" && isSettled(prompt) ? { prompt, session, branch } : undefined;
}
