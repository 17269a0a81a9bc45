import { expect, it } from "vitest";
import { changedFrom } from "./branch-heads.ts";

const head = (repository: string, commit: string) => ({ repository, commit: commit.repeat(40) });
const known = [head("web", "a"), head("api", "b")];

it.each([
  { name: "the same", heads: known, want: false },
  { name: "another commit of the first", heads: [head("web", "c"), head("api", "b")], want: true },
  { name: "another commit of any", heads: [head("web", "a"), head("api", "c")], want: true },
  { name: "one could not be looked up", heads: [head("api", "b")], want: false },
  { name: "one could not be looked up, another is new", heads: [head("api", "c")], want: true },
  { name: "none could be looked up", heads: [], want: false },
  { name: "one that was not known", heads: [...known, head("docs", "d")], want: true },
])("branches have moved: $name", ({ heads, want }) => {
  expect(changedFrom(known, heads)).toBe(want);
});
