import { expect, it } from "vitest";
import { branchesAt } from "./git-state.ts";

it("finds the branches of a server that are at a commit", () => {
  const heads = "aaa\trefs/heads/main\nbbb\trefs/heads/fix/1\nbbb\trefs/heads/fix-2\nbbb\trefs/tags/v1\nnonsense\n";
  expect(branchesAt(heads, "bbb")).toEqual(["fix/1", "fix-2"]);
  expect(branchesAt(heads, "ccc")).toEqual([]);
  expect(branchesAt("", "bbb")).toEqual([]);
});

it.each([
  { length: 1_023, found: 1 },
  { length: 1_024, found: 1 },
  { length: 1_025, found: 0 },
])("finds $found branches whose name has $length characters", ({ length, found }) => {
  expect(branchesAt(`bbb\trefs/heads/${"x".repeat(length)}\n`, "bbb")).toHaveLength(found);
});
