import { expect, it } from "vitest";

import { commands } from "./commands.ts";
import { flagsOf, parseCommand } from "./parse-command.ts";

const flags = commands.flatMap((command) => Object.entries(flagsOf(command)).map(([name, flag]) => ({ name, flag })));

/** As a shell splits a line. */
function wordsOf(line: string): string[] {
  return (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ""));
}

it("says each command once, as the beginning of no other", () => {
  const names = commands.map(({ name }) => name);
  const beginnings = names.filter((name) => names.some((other) => other.startsWith(`${name} `)));
  expect(new Set(names).size).toBe(names.length);
  expect(beginnings).toEqual([]);
});

it.each(commands)("$name has examples that it understands", (command) => {
  expect(command.examples.length).toBeGreaterThan(0);
  for (const example of command.examples) {
    const [line = ""] = example.split(/ +[|<#]/);
    expect(parseCommand(commands, wordsOf(line))).toMatchObject({ kind: "run", command: { name: command.name } });
  }
});

it.each(commands)("$name says what it does in half a sentence", ({ summary }) => {
  expect(summary).toMatch(/^[a-z].*[^.]$/);
});

it("takes a flag in the same way in all commands, wherever it stands", () => {
  for (const { name, flag } of flags) {
    const others = flags.filter((other) => other.name === name || other.flag.short === (flag.short ?? "none"));
    const forms = new Set(others.map((other) => `${other.name} ${other.flag.short} ${other.flag.value === undefined}`));
    expect([...forms]).toHaveLength(1);
  }
});
