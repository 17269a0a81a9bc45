import { expect, it } from "vitest";
import { changedFrom } from "./branch-heads.ts";

const head = (repository: string, commit: string) => ({ repository, commit: commit.repeat(40) });
const known = [head("web", "a"), head("api", "b")];

it.each([
  { name: "4.5 row 1: the same", heads: known, want: false },
  {
    name: "rows 2 and 19: another commit of the first, newer or rewritten",
    heads: [head("web", "c"), head("api", "b")],
    want: true,
  },
  { name: "row 3: another commit of any", heads: [head("web", "a"), head("api", "c")], want: true },
  { name: "rows 4 and 6: one could not be looked up, or its branch is gone", heads: [head("api", "b")], want: false },
  { name: "row 5: one could not be looked up, another is new", heads: [head("api", "c")], want: true },
  { name: "none could be looked up", heads: [], want: false },
  { name: "one that was not known", heads: [...known, head("docs", "d")], want: true },
])("branches have moved: $name", ({ heads, want }) => {
  expect(changedFrom(known, heads)).toBe(want);
});
