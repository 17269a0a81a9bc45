import { expect, it } from "vitest";

import { slowestFiles } from "./slowest-files.ts";

it.each([
  { name: "a run without files has none", files: [], want: [] },
  {
    name: "they are in the order of their times",
    files: [
      { file: "a.test.ts", ms: 90 },
      { file: "b.test.ts", ms: 245_257 },
      { file: "c.test.ts", ms: 1_449 },
    ],
    want: ["slowest test files, in seconds:", "  245.3  b.test.ts", "    1.4  c.test.ts", "    0.1  a.test.ts"],
  },
  {
    name: "the ten slowest are shown",
    files: Array.from({ length: 11 }, (_, at) => ({ file: `${at}.test.ts`, ms: at * 1_000 })),
    want: [
      "slowest test files, in seconds:",
      ...[10, 9, 8, 7, 6, 5, 4, 3, 2, 1].map((at) => `${at.toFixed(1).padStart(7)}  ${at}.test.ts`),
    ],
  },
])("$name", ({ files, want }) => {
  expect(slowestFiles(files)).toEqual(want);
});
