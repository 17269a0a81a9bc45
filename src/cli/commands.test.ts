import { expect, it } from "vitest";

import { commands } from "./commands.ts";
import { flagsOf, readCommandLine } from "./program.ts";

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
    const [line = ""] = example.split(/ +[|<>#]/);
    expect(readCommandLine(commands, wordsOf(line))).toMatchObject({ kind: "run", command: { name: command.name } });
  }
});

it.each(commands)("$name says what it does in half a sentence", ({ summary }) => {
  expect(summary).toMatch(/^[a-z].*[^.]$/);
});

it.each(commands)("$name takes the flags of every command", ({ name, parameters }) => {
  const line =
    "-n a --context c --kubeconfig k --release r --release-namespace s --service-account b/c --kubeconfig-token --server https://g --certificate-authority f";
  const args = parameters.filter((parameter) => !parameter.startsWith("["));
  expect(readCommandLine(commands, [...wordsOf(line), ...name.split(" "), ...args])).toMatchObject({
    kind: "run",
    command: { name },
    flags: { release: "r", "service-account": "b/c", server: "https://g" },
  });
});

it.each(commands)("$name gives a letter to one flag", (command) => {
  const letters = Object.values(flagsOf(command)).flatMap(({ short }) => short ?? []);
  expect(new Set(letters).size).toBe(letters.length);
});

it.each([
  { argv: ["session", "logs", "a/b", "-f"], want: { follow: true } },
  { argv: ["-f", "session", "logs", "a/b"], want: { follow: true } },
  { argv: ["-n", "a", "session", "logs", "-f", "b"], want: { follow: true } },
  { argv: ["-n", "prompt", "session", "logs", "s", "-f"], want: { follow: true, namespace: "prompt" } },
  { argv: ["--dry-run", "resume", "a/b"], want: { "dry-run": true } },
  { argv: ["--dry-run", "client", "session", "create", "a/b"], want: { "dry-run": "client" } },
  { argv: ["prompt", "a/b", "-f", "session"], want: { filename: "session", follow: false } },
])("reads a flag as the command of $argv means it", ({ argv, want }) => {
  expect(readCommandLine(commands, argv)).toMatchObject({ kind: "run", flags: want });
});
