import { expect, it } from "vitest";

import { unfinishedEnd } from "./unfinished-end.ts";

it.each([
  { text: "", want: "" },
  { text: "done\n", want: "" },
  { text: "done\r\n", want: "" },
  { text: "10%\r", want: "\r" },
  { text: "a\u001b", want: "\u001b" },
  { text: "a\u001b[1;3", want: "\u001b[1;3" },
  { text: "a\u001b[31m", want: "" },
  { text: "a\u001b[31m\u001b[", want: "\u001b[" },
  { text: "a\u001b(", want: "\u001b(" },
  { text: "a\u001b(B", want: "" },
  { text: "a\u001b]0;tit", want: "\u001b]0;tit" },
  { text: "a\u001b]0;title\u001b", want: "\u001b]0;title\u001b" },
  { text: "a\u001b]0;title\u0007", want: "" },
  { text: "a\u001b]0;title\u001b\\", want: "" },
])("of $text more text may complete $want", ({ text, want }) => {
  expect(unfinishedEnd(text)).toBe(want);
});

it.each([
  { length: 255, waits: true },
  { length: 256, waits: true },
  { length: 257, waits: false },
])("a command of $length characters waits: $waits", ({ length, waits }) => {
  const command = `\u001b]${"x".repeat(length - 2)}`;
  expect(unfinishedEnd(`a${command}`)).toBe(waits ? command : "");
});
