import { describe, expect, it } from "vitest";

import { commentText, withoutMentions } from "./comment-text.ts";

describe("mentions of an agent", () => {
  it.each([
    ["@ann look", "@\u200Bann look"],
    ["(@acme/team)", "(@\u200Bacme/team)"],
    ["ann@example.com", "ann@example.com"],
    ["```ts\n@Component()\n```\n@ann", "```ts\n@Component()\n```\n@\u200Bann"],
    ["~~~\n@a\n```\n@b\n~~~~ \n@ann", "~~~\n@a\n```\n@b\n~~~~ \n@\u200Bann"],
    ["````\n```\n@a\n````\n@ann", "````\n```\n@a\n````\n@\u200Bann"],
    ["```\n@a\n   ```\n@ann", "```\n@a\n   ```\n@\u200Bann"],
    ["```\n@a\r```\r@ann", "```\n@a\n```\n@\u200Bann"],
    ["```\n@a that is never closed", "```\n@a that is never closed"],
    // Inline code: what is such, GitHub alone judges.
    ["see `@ann` and @ben", "see `@\u200Bann` and @\u200Bben"],
    ["\\`@ann`", "\\`@\u200Bann`"],
    ["`\n\n@ann\n\n`", "`\n\n@\u200Bann\n\n`"],
    ["so ```\n@ann\n```", "so ```\n@\u200Bann\n```"],
    ["- ```\n  ```\n@ann\n```", "- ```\n  ```\n@\u200Bann\n```"],
    ["<!--\n```\n-->\n@ann\n```", "<!--\n```\n-->\n@\u200Bann\n```"],
    ["_@ann_", "_@\u200Bann_"],
    ["&#64;ann &#x040;ann &commat;ann", "&#64;\u200Bann &#x040;\u200Bann &commat;\u200Bann"],
    ["<b>&#64ann", "<b>&#64\u200Bann"],
    ["@&#97;nn", "@\u200B&#97;nn"],
    ["` @ann", "` @\u200Bann"],
    ["an @ alone", "an @ alone"],
    ["", ""],
  ])("in %j reach no one", (text, expected) => {
    expect(withoutMentions(text)).toBe(expected);
  });
});

it("a comment ends with the mark of its post", () => {
  expect(commentText("p1", "Done.")).toBe("Done.\n\n<!-- runwright:p1 -->");
});
