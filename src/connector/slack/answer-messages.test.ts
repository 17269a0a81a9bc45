import { expect, it } from "vitest";

import { answerMessages } from "./answer-messages.ts";

const countOf = (text: string): number => Array.from(text).length;
const end = "The answer goes on elsewhere.";

it.each([1, 2_879, 2_880, 2_881, 9_000, 57_600, 57_601, 100_000])(
  "%s characters are shown within Slack's limits",
  (length) => {
    const messages = answerMessages("é".repeat(length), end);
    const sections = messages.flat();
    expect(Math.max(...sections.map(countOf))).toBeLessThanOrEqual(3_000);
    expect(Math.max(...messages.map((message) => countOf(message.join(""))))).toBeLessThanOrEqual(9_000);
    const isCut = length > 57_600;
    expect(sections).toHaveLength(isCut ? 21 : Math.ceil(length / 2_880));
    expect(sections.at(-1) === end).toBe(isCut);
  },
);

it("closes code that is cut and opens it again", () => {
  const text = `Look:\n\`\`\`ts\n${"const a = 1;\n".repeat(400)}\`\`\`\nDone.`;
  const sections = answerMessages(text, end).flat();
  expect(sections.length).toBeGreaterThan(1);
  for (const section of sections) expect(section.split("```").length % 2).toBe(1);
  const code = sections.join("\n").replaceAll(/```\n```\n?/g, "");
  expect(code.split("const a = 1;")).toHaveLength(401);
});

it("shows mentions of an agent as text, and cuts no entity", () => {
  const sections = answerMessages("<!channel> & <@U1> ".repeat(400), end).flat();
  const text = sections.join("");
  expect(text).not.toMatch(/<|&(?!amp;|lt;|gt;)/);
});

it("has no message for no text", () => {
  expect(answerMessages("", end)).toEqual([]);
});
