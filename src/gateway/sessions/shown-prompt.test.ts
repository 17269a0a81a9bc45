import { describe, expect, it } from "vitest";

import { aPrompt } from "../../../test/support/builders.ts";
import { shownPrompt } from "./shown-prompt.ts";

it.each([
  { origin: undefined, want: null },
  { origin: "PullRequestFeedback", want: "pull_request_feedback" },
] as const)("a prompt of origin $origin shows $want", ({ origin, want }) => {
  expect(shownPrompt(aPrompt({ spec: { origin } }), undefined).origin).toBe(want);
});

describe("files that the agent attached", () => {
  const digits = "a".repeat(64);
  const file = { digest: `sha256:${digits}`, mediaType: "video/mp4", fileName: "clip.mp4", bytes: 7 } as const;
  const metadata = { namespace: "shop", name: "fix-1" };

  it("are shown with the path of each, and how many others there were", () => {
    const media = { files: [file], leftOut: 2 };
    expect(shownPrompt(aPrompt({ metadata, status: { media } }), undefined).media).toEqual({
      files: [
        {
          fileName: "clip.mp4",
          mediaType: "video/mp4",
          bytes: 7,
          path: `/sessions/shop.fix/prompts/fix-1/media/${digits}.mp4`,
        },
      ],
      leftOut: 2,
    });
  });

  it("are null where the status has none", () => {
    expect(shownPrompt(aPrompt({ metadata, status: {} }), undefined).media).toBeNull();
  });
});
