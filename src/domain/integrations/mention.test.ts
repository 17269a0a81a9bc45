import { describe, expect, it } from "vitest";

import { mentions } from "./mention.ts";

describe("mentions of helper", () => {
  it.each([
    "@helper fix this",
    "Please, @helper, fix this",
    "(@Helper)",
    "@helper[bot] fix this",
    "fix this @helper.",
    "> someone said so\n\n@helper fix it",
    "```\ncode\n```\n@helper fix it",
    "`code` @helper",
  ])("are in %j", (text) => {
    expect(mentions(text, "helper")).toBe(true);
  });

  it.each([
    "@helperbot fix",
    "@helper-two fix",
    "@helper_two fix",
    "@my-helper fix",
    "me@helper.example",
    "a/@helper",
    "@helper/team look",
    "helper fix this",
    "",
    "> @helper fix this",
    "`@helper`",
    "``a ` @helper``",
    "```\n@helper fix\n```",
    "~~~ts\n@helper fix\n~~~",
    "```\n@helper in a block that is never closed",
  ])("are not in %j", (text) => {
    expect(mentions(text, "helper")).toBe(false);
  });

  it("takes a name literally", () => {
    expect(mentions("@a-b-c go", "a-b-c")).toBe(true);
    expect(mentions("@aXbXc go", "a-b-c")).toBe(false);
  });
});

it.each([
  { at: 131_068, found: true },
  { at: 131_069, found: false },
])("is found among the 131,072 units that a text of GitHub's may have, at $at: $found", ({ at, found }) => {
  expect(mentions(`${" ".repeat(at)}@bot `, "bot")).toBe(found);
});

// A search of the whole text would take hours.
it("is looked for in the first units alone of back-ticks in rows of each length", () => {
  const text = Array.from({ length: 11_585 }, (_, length) => "`".repeat(length)).join(" ");
  expect(mentions(text, "bot")).toBe(false);
});
