import { expect, it } from "vitest";

import { questionBlocks } from "./question-blocks.ts";

const asked = { postId: "p", text: "What is this about?" };

it.each([
  ["an Environment of 61 characters", { environmentRef: { name: "e".repeat(61) } }, `${"e".repeat(61)} (environment)`],
  ["an Environment of 63", { environmentRef: { name: "e".repeat(63) } }, `${"e".repeat(57)} […] (environment)`],
  ["a Repository of 63", { repositoryRef: { name: "r".repeat(63) } }, "r".repeat(63)],
])("%s has a button and an entry that Slack takes", (_name, target, want) => {
  const [, actions] = questionBlocks(asked, { suggestions: [target], offered: [target] });
  if (actions?.type !== "actions") throw new Error("no list");
  const [button, list] = actions.elements;
  expect(button).toMatchObject({ text: { text: want } });
  expect(list).toMatchObject({ option_groups: [{ options: [{ text: { text: want } }] }] });
  expect(want.length).toBeLessThanOrEqual(75);
});
