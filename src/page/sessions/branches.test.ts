import { expect, it } from "vitest";
import type { PromptSummary } from "../api.ts";
import { lastOfBranches } from "./branches.ts";

type Shown = Pick<PromptSummary, "id" | "status" | "result">;

function prompt(id: string, branch: string | null, status: Shown["status"] = "completed"): Shown {
  return { id, status, result: { summary: null, branch, commit: null, pushes: [] } };
}

it.each<{ name: string; prompts: Shown[]; want: string[] }>([
  { name: "the newest of two with one branch", prompts: [prompt("b", "fix"), prompt("a", "fix")], want: ["b"] },
  { name: "one of each branch", prompts: [prompt("b", "fix"), prompt("a", "docs")], want: ["b", "a"] },
  {
    name: "the newest that has ended",
    prompts: [prompt("c", "fix", "processing"), prompt("b", "fix", "failed"), prompt("a", "fix")],
    want: ["b"],
  },
  {
    name: "none without a branch",
    prompts: [prompt("c", null), prompt("b", ""), { id: "a", status: "completed", result: null }],
    want: [],
  },
])("of prompts it is $name", ({ prompts, want }) => {
  expect([...lastOfBranches(prompts)]).toEqual(want);
});
