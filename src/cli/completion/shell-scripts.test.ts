import { spawnSync } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { shellScripts } from "./shell-scripts.ts";

const main = join(import.meta.dirname, "..", "main.ts");

/** Each asks its shell what it would offer at the end of a line of words; the last word may be empty. */
const shells = [
  {
    shell: "bash",
    args: ["--norc", "-c"],
    ask: (words: readonly string[]) =>
      `source <(kubectl-runwright completion bash); COMP_WORDS=(kubectl-runwright ${quoted(words)})
       COMP_CWORD=${words.length}; _kubectl_runwright; printf '%s\\n' "\${COMPREPLY[@]}"`,
  },
  {
    shell: "zsh",
    args: ["-f", "-c"],
    // The parts of zsh's completion that work in its line editor alone.
    ask: (words: readonly string[]) =>
      `compdef() {}; _files() { print FILES }; _describe() { print -l -- "\${(@P)2}" }
       source <(kubectl-runwright completion zsh); words=(kubectl-runwright ${quoted(words)})
       CURRENT=${words.length + 1}; _kubectl_runwright`,
  },
  {
    shell: "fish",
    args: ["--no-config", "-c"],
    ask: (words: readonly string[]) =>
      `kubectl-runwright completion fish | source; complete --do-complete 'kubectl-runwright ${words.join(" ")}'`,
  },
] as const;

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(" ");
}

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "completion-"));
  await program("kubectl-runwright", `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
  await program("kubectl_complete-runwright", shellScripts.kubectl);
  await writeFile(join(folder, "payload.json"), "{}");
});
afterAll(() => rm(folder, { recursive: true }));

async function program(name: string, text: string): Promise<void> {
  await writeFile(join(folder, name), text);
  await chmod(join(folder, name), 0o755);
}

function run(command: string, args: readonly string[]): string[] {
  const env = { ...process.env, PATH: [folder, process.env.PATH].join(delimiter), KUBECONFIG: "/no/such/file" };
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", cwd: folder, env });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return stdout.split("\n").filter((line) => line !== "");
}

function isThere(shell: string): boolean {
  return spawnSync(shell, ["-c", "true"]).status === 0;
}

const groupOfSession = ["cancel", "create", "logs", "tunnel"];

// Each answer is a new process.
const timeout = 300_000;

describe.each(shells)("$shell", { timeout }, ({ shell, args, ask }) => {
  /** The first word of each line: zsh and fish say what it is about. */
  const offered = (...words: readonly string[]): string[] | undefined => {
    if (isThere(shell)) return run(shell, [...args, ask(words)]).map((line) => line.split(/[\t:]/)[0] ?? "");
    console.warn(`not run: this machine has no ${shell}`);
    return undefined;
  };

  it("completes commands, groups of commands and flags", () => {
    expect(offered("ver") ?? ["version"]).toEqual(["version"]);
    expect((offered("session", "") ?? groupOfSession).toSorted()).toEqual(groupOfSession);
    expect(offered("version", "--cl") ?? ["--client"]).toEqual(["--client"]);
  });

  it("offers files where a flag takes one", () => {
    const files = offered("explain", "a", "-f", "");
    if (shell === "zsh" && files) expect(files).toEqual(["FILES"]);
    else if (shell === "fish" && files) expect(files).toContain("payload.json");
  });

  it("offers nothing, and says nothing, where the cluster does not answer", () => {
    expect((offered("runs", "") ?? []).filter((word) => word !== "choice")).toEqual([]);
  });
});

it("answers kubectl in the format of cobra", { timeout }, () => {
  const lines = run("kubectl_complete-runwright", ["session", ""]);
  expect(lines.at(-1)).toBe(":4");
  expect(lines.slice(0, -1).toSorted()).toEqual(
    groupOfSession.map((word) => expect.stringMatching(`^${word}\t.`) as string),
  );
  expect(run("kubectl_complete-runwright", ["explain", "a", "-f", ""])).toEqual([":0"]);
});
