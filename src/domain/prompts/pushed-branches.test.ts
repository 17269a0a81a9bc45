import { describe, expect, it } from "vitest";

import { branchesInShort, branchWords, pushedBranches } from "./pushed-branches.ts";

const [one, two] = ["1".repeat(40), "2".repeat(40)];
const push = (repository: string, branch: string, commit = one) => ({ repository, branch, commit });

describe("branches of a result", () => {
  it.each<{ name: string; result: Parameters<typeof pushedBranches>[0]; want: string[] }>([
    { name: "none of no result", result: undefined, want: [] },
    { name: "none of null", result: null, want: [] },
    { name: "none of one that names none", result: { branch: null, commit: null, pushes: [] }, want: [] },
    { name: "none of an empty name", result: { branch: "" }, want: [] },
    { name: "its own", result: { branch: "fix", commit: one }, want: ["fix"] },
    {
      name: "its own once",
      result: { branch: "fix", commit: one, pushes: [push("api", "fix")] },
      want: ["fix"],
    },
    {
      name: "its own once, where the agent named no commit",
      result: { branch: "fix", pushes: [push("api", "fix")] },
      want: ["fix"],
    },
    {
      name: "the same name in another repository",
      result: { branch: "fix", commit: one, pushes: [push("api", "fix"), push("ui", "fix")] },
      want: ["fix", "fix of ui"],
    },
    {
      name: "those that were pushed beside what the agent named",
      result: { branch: "said", commit: one, pushes: [push("api", "fix"), push("ui", "said", two)] },
      want: ["said", "fix of api", "said of ui"],
    },
    { name: "those of others alone", result: { pushes: [push("ui", "fix")] }, want: ["fix of ui"] },
  ])("are $name", ({ result, want }) => {
    expect(pushedBranches(result).map(branchWords)).toEqual(want);
  });
});

it.each([
  { count: 0, want: "" },
  { count: 1, want: "b0 of ui" },
  { count: 2, want: "b0 of ui and 1 more" },
  { count: 20, want: "b0 of ui and 19 more" },
])("$count branches in short are $want", ({ count, want }) => {
  const pushes = Array.from({ length: count }, (_, index) => push("ui", `b${index}`));
  expect(branchesInShort({ pushes })).toBe(want);
});
