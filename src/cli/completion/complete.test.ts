import { describe, expect, it } from "vitest";

import { commands } from "../commands.ts";
import { complete } from "./complete.ts";

/** The words of a line; a blank at its end begins a new word. */
function at(line: string): ReturnType<typeof complete> {
  return complete(commands, line.split(/ +/));
}

function wordsAt(line: string): string[] {
  return at(line).choices.map(({ word }) => word);
}

describe("commands", () => {
  it.each([
    { line: "", some: ["automations", "session", "key", "version"] },
    { line: "r", all: ["resume", "runs", "replay"] },
    { line: "session ", all: ["cancel", "create", "logs", "tunnel"] },
    { line: "session l", all: ["logs"] },
    { line: "key ", all: ["create", "regenerate", "curl", "set"] },
    { line: "no-such ", all: [] },
    { line: "session no-such ", all: [] },
    { line: "completion ", all: ["bash", "zsh", "fish", "kubectl"] },
    { line: "completion b", all: ["bash"] },
    { line: "completion bash ", all: [] },
  ])("after “$line”", ({ line, some, all }) => {
    const words = wordsAt(line);
    if (some) expect(words).toEqual(expect.arrayContaining(some));
    else expect(words.toSorted()).toEqual(all.toSorted());
  });

  it("offers each group of commands once, and says what a command does", () => {
    expect(wordsAt("").filter((word) => word === "key")).toEqual(["key"]);
    expect(at("automa").choices).toEqual([
      { word: "automations", about: "list Automations with their state, newest first" },
    ]);
  });
});

describe("flags", () => {
  it("are those of the command, and begin as the word does", () => {
    expect(wordsAt("version --cl")).toEqual(["--client"]);
    expect(wordsAt("runs --cl")).toEqual([]);
    expect(wordsAt("runs --")).toEqual(expect.arrayContaining(["--limit", "--output", "--namespace", "--help"]));
  });

  it("are offered once, unless they may be repeated", () => {
    expect(wordsAt("version --client --c")).toEqual(["--context", "--certificate-authority"]);
    expect(wordsAt("prompt s --image a --im")).toEqual(["--image"]);
  });

  it.each([
    { line: "runs -o ", words: ["json", "yaml", "name"] },
    { line: "runs --output y", words: ["yaml"] },
    { line: "settings -o ", words: ["json", "yaml"] },
  ])("have the values of the command: $line", ({ line, words }) => {
    expect(at(line)).toEqual({ choices: words.map((word) => ({ word, about: "" })), kinds: [], files: false });
  });

  it.each(["explain a -f ", "explain a --filename x", "runs --kubeconfig ", "media p 1 --to "])(
    "take a file: %s",
    (line) => {
      expect(at(line)).toEqual({ choices: [], kinds: [], files: true });
    },
  );

  it.each(["runs --limit ", "session logs --namespace "])("take anything else: %s", (line) => {
    expect(at(line)).toEqual({ choices: [], kinds: [], files: false });
  });

  it("end at --", () => {
    expect(wordsAt("prompt s -- --")).toEqual([]);
  });
});

describe("names", () => {
  it.each([
    { line: "runs ", kinds: ["AUTOMATION"] },
    { line: "runs demo/tri", kinds: ["AUTOMATION"] },
    { line: "-n demo runs ", kinds: ["AUTOMATION"] },
    { line: "runs --limit 3 -n demo ", kinds: ["AUTOMATION"] },
    { line: "runs --limit=3 ", kinds: ["AUTOMATION"] },
    { line: "resume ", kinds: ["AUTOMATION"] },
    { line: "session logs -f ", kinds: ["SESSION"] },
    { line: "media ", kinds: ["PROMPT"] },
    { line: "settings ", kinds: ["SESSION", "REPOSITORY"] },
    { line: "runs triage ", kinds: [] },
    { line: "automations ", kinds: [] },
  ])("are of $kinds at “$line”", ({ line, kinds }) => {
    expect(at(line)).toEqual({ choices: [], kinds, files: false });
  });
});
