import { expect, it } from "vitest";

import { aPrompt } from "../../../test/support/builders.ts";
import type { PromptMedia } from "../../api/v1alpha1/index.ts";
import { mediaText } from "./shown-media.ts";

const chart = { digest: `sha256:${"a".repeat(64)}`, mediaType: "image/png", fileName: "chart.png", bytes: 7 } as const;
const metadata = { namespace: "shop", name: "fix-1" };
const shown = (media?: PromptMedia): string[] =>
  mediaText(aPrompt({ metadata, status: { ...(media && { media }) } })).split("\n");

it("numbers the files in the agent's order, and says how one is downloaded", () => {
  const clip = { ...chart, mediaType: "video/mp4", fileName: "clip.mp4", bytes: 10_485_760 } as const;
  expect(shown({ files: [chart, clip], leftOut: 0 })).toEqual([
    "#  FILE       TYPE       BYTES",
    "1  chart.png  image/png  7",
    "2  clip.mp4   video/mp4  10485760",
    "To download one: kubectl runwright media shop/fix-1 NUMBER --to FILE",
  ]);
});

it.each([
  { files: [], leftOut: 1, want: /^1 file that/ },
  { files: [chart], leftOut: 1, want: /^1 more file that/ },
  { files: [chart], leftOut: 2, want: /^2 more files that/ },
])("says of $leftOut left out beside $files.length", ({ files, leftOut, want }) => {
  expect(shown({ files, leftOut }).at(-1)).toMatch(want);
});

it("is empty where nothing was attached", () => {
  expect([shown(), shown({ files: [], leftOut: 0 })]).toEqual([[""], [""]]);
});

it("lets no name forge a row, leave its line or pretend another type", () => {
  const fileName = "a.png\n2  \u202egnp.exe\u001b[2J\u0007";
  const [, row, next] = shown({ files: [{ ...chart, fileName }], leftOut: 0 });
  expect(row).toBe("1  a.png 2 gnp.exe.png  image/png  7");
  expect(next).toContain("To download one");
});
