import { expect, it } from "vitest";

import { aPrompt } from "../../../test/support/builders.ts";
import type { PromptStatus } from "../../api/v1alpha1/index.ts";
import { shownEnd } from "./shown-prompt.ts";

const file = { digest: `sha256:${"a".repeat(64)}`, mediaType: "image/png", fileName: "chart.png", bytes: 7 } as const;
const media = { files: [file], leftOut: 0 };
const push = { branch: "fix", commit: "a".repeat(40) };
const list = `#  FILE       TYPE       BYTES
1  chart.png  image/png  7
To download one: kubectl runwright media shop/fix-1 NUMBER --to FILE`;

function textOf(verdict: "True" | "False", status: PromptStatus): string {
  const condition = { type: "Succeeded", status: verdict, reason: "Ended", message: "", lastTransitionTime: "" };
  const metadata = { namespace: "shop", name: "fix-1" };
  const prompt = aPrompt({ metadata, status: { conditions: [condition], ...status } });
  return shownEnd({ prompt, session: undefined, state: "ended" }).text;
}

it.each<[string, "True" | "False", PromptStatus, string]>([
  ["nothing but success", "True", {}, "Prompt shop/fix-1 completed"],
  ["an answer", "True", { result: { summary: "Done." } }, "Prompt shop/fix-1 completed\nDone."],
  [
    "each branch that was pushed",
    "True",
    {
      result: {
        summary: "Done.",
        ...push,
        pushes: [
          { repository: "api", ...push },
          { repository: "ui", ...push },
        ],
      },
    },
    "Prompt shop/fix-1 completed\nBranch: fix\nBranch: fix of ui\nDone.",
  ],
  [
    "what a failure pushed",
    "False",
    { result: { summary: "No.", pushes: [{ repository: "ui", ...push }] } },
    "Branch: fix of ui\nNo.",
  ],
  ["files alone", "True", { media }, `Prompt shop/fix-1 completed\n${list}`],
  ["files", "True", { result: { summary: "Done." }, media }, `Prompt shop/fix-1 completed\nDone.\n\n${list}`],
  ["files of a failure", "False", { result: { summary: "No." }, media }, `No.\n\n${list}`],
  ["a failure", "False", {}, ""],
])("shows %s", (_, verdict, status, want) => expect(textOf(verdict, status)).toBe(want));
