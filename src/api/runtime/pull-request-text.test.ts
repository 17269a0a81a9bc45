import { expect, it } from "vitest";
import type { PullRequestText } from "./messages.ts";
import { plainPullRequestText } from "./pull-request-text.ts";

it.each<{ name: string; given: PullRequestText; want: PullRequestText | undefined }>([
  {
    name: "is as it was given",
    given: { title: "Fix it", body: "- a\n- b" },
    want: { title: "Fix it", body: "- a\n- b" },
  },
  { name: "has its title in one line", given: { title: " Fix\n\tit ", body: "" }, want: { title: "Fix it", body: "" } },
  {
    name: "has no control and bidirectional characters",
    given: { title: "Fix\u202e \u001b[31mit\u0007", body: "a\u200f\u0000\u009bb\n" },
    want: { title: "Fix it", body: "ab" },
  },
  { name: "is none without a title", given: { title: " \u202e\n", body: "text" }, want: undefined },
  {
    name: "is not cut",
    given: { title: "t".repeat(400), body: "b".repeat(8_192) },
    want: { title: "t".repeat(400), body: "b".repeat(8_192) },
  },
])("the text of a pull request $name", ({ given, want }) => {
  expect(plainPullRequestText(given)).toEqual(want);
});
