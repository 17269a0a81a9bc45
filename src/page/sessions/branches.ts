import type { PromptSummary } from "../api.ts";

const ended: readonly PromptSummary["status"][] = ["completed", "failed", "cancelled"];

/** Ids of those prompts, of a list with the newest first, that were the last to end with their branch. */
export function lastOfBranches(
  prompts: readonly Pick<PromptSummary, "id" | "status" | "result">[],
): ReadonlySet<string> {
  const byBranch = new Map<string, string>();
  for (const { id, status, result } of prompts) {
    const branch = result?.branch ?? "";
    if (branch !== "" && ended.includes(status) && !byBranch.has(branch)) byBranch.set(branch, id);
  }
  return new Set(byBranch.values());
}
