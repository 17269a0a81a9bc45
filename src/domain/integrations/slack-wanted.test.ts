import { describe, expect, it } from "vitest";

import { SlackTrigger } from "../../api/v1alpha1/index.ts";
import { isReply, messageKey, messageMismatch } from "./slack-wanted.ts";

const message = { channelID: "C0OPS", actor: { id: "U0ANN" }, text: "Deploy of API failed" };

function mismatch(trigger: object, change: object = {}): string | undefined {
  const all = SlackTrigger.parse({ integrationRef: { name: "chat" }, channels: ["C0OPS"], ...trigger });
  return messageMismatch({ ...message, ...change }, all);
}

describe("a message may start a Run where", () => {
  it.each([
    ["nothing more is asked for", {}],
    ["its channel is one of several", { channels: ["C0DEV", "C0OPS"] }],
    ["its author is named", { users: ["U0BOB", "U0ANN"] }],
    ["others are ignored", { ignoredUsers: ["U0BOB"] }],
    ["the text contains a value", { texts: [{ operator: "Contains", value: "API fail" }] }],
    [
      "the text contains a value in another case",
      { texts: [{ operator: "Contains", value: "FAILED", caseSensitivity: "Insensitive" }] },
    ],
    [
      "the text contains a value whose last letter has a form of its own at the end of words",
      { texts: [{ operator: "Contains", value: "ΑΣ", caseSensitivity: "Insensitive" }] },
      { text: "ΑΣΑ" },
    ],
    ["the text is a value", { texts: [{ operator: "Exact", value: "Deploy of API failed" }] }],
    [
      "the text is a value in another case",
      { texts: [{ operator: "Exact", value: "deploy of api FAILED", caseSensitivity: "Insensitive" }] },
    ],
    [
      "all texts match",
      {
        texts: [
          { operator: "Contains", value: "Deploy" },
          { operator: "Contains", value: "failed" },
        ],
      },
    ],
  ])("%s", (_name, trigger, change: object = {}) => {
    expect(mismatch(trigger, change)).toBeUndefined();
  });
});

describe("a message starts no Run where", () => {
  it.each([
    ["its channel is another", { channels: ["C0DEV"] }, "the channel is C0OPS, but must be one of C0DEV"],
    ["its author is not named", { users: ["U0BOB"] }, "the message is of U0ANN, but must be of one of U0BOB"],
    ["its author is ignored", { ignoredUsers: ["U0ANN"] }, "messages of U0ANN are ignored"],
    ["its author is named and ignored", { users: ["U0ANN"], ignoredUsers: ["U0ANN"] }, "messages of U0ANN are ignored"],
    ["the case differs", { texts: [{ operator: "Contains", value: "deploy" }] }, 'the text does not contain "deploy"'],
    [
      "it only contains what it must be",
      { texts: [{ operator: "Exact", value: "Deploy" }] },
      'the text is not "Deploy"',
    ],
    [
      "a value looks like a pattern",
      { texts: [{ operator: "Contains", value: "Deploy.*" }] },
      'does not contain "Deploy.*"',
    ],
    [
      "one of two texts does not match",
      {
        texts: [
          { operator: "Contains", value: "Deploy" },
          { operator: "Contains", value: "PASSED", caseSensitivity: "Insensitive" },
        ],
      },
      'the text does not contain "PASSED" in any case',
    ],
  ])("%s", (_name, trigger, says) => {
    expect(mismatch(trigger)).toContain(says);
  });

  it("Slack does not say who wrote it and that is compared", () => {
    expect(mismatch({ users: ["U0BOB"] }, { actor: undefined })).toContain("must be of one of U0BOB");
  });
});

it.each([
  [{ ts: "2.1", threadTS: "2.1" }, false],
  [{ ts: "2.1", threadTS: undefined }, false],
  [{ ts: "2.1", threadTS: "1.1" }, true],
])("%j is a reply: %s", (times, want) => {
  expect(isReply(times)).toBe(want);
});

it("the key of a message is its channel and time", () => {
  expect(messageKey({ channelID: "C0OPS", ts: "1767225600.000100" })).toBe("channel C0OPS message 1767225600.000100");
});
