import { describe, expect, it } from "vitest";

import { CliError } from "./cli-error.ts";
import { defineCommand } from "./command.ts";
import { parseCommand } from "./parse-command.ts";
import { usageOf } from "./usage.ts";

const command = {
  summary: "do it",
  flags: {},
  formats: [],
  examples: ["grow one"],
  run: () => Promise.resolve({ text: "", json: {} }),
} as const;
const grow = defineCommand({
  ...command,
  name: "grow",
  parameters: ["TREE", "[PLACE]"],
  flags: { high: { value: "METRES", about: "how high" }, fast: { short: "f", about: "at once" } },
  formats: ["json", "yaml", "name"],
});
const treeCut = defineCommand({
  ...command,
  name: "tree cut",
  parameters: [],
  flags: { deep: { about: "roots too" } },
});
const treePlant = defineCommand({ ...command, name: "tree plant", parameters: [], formats: ["json"] });
const commands = [grow, treeCut, treePlant];

function parse(line: string): ReturnType<typeof parseCommand> {
  return parseCommand(
    commands,
    line.split(" ").filter((word) => word !== ""),
  );
}

describe("understood", () => {
  it.each([
    ["grow oak", { args: ["oak"], flags: { high: undefined, fast: false } }],
    ["grow oak here", { args: ["oak", "here"] }],
    ["-n park grow oak", { args: ["oak"], flags: { namespace: "park" } }],
    ["--high 3 grow oak -f", { args: ["oak"], flags: { high: "3", fast: true } }],
    ["grow oak --high=3", { flags: { high: "3" } }],
    ["grow oak -o yaml", { format: "yaml" }],
    ["grow oak --context c --kubeconfig /f", { flags: { context: "c", kubeconfig: "/f" } }],
    ["tree cut --deep", { args: [], flags: { deep: true } }],
  ])("%s", (line, want) => {
    const name = line.includes("tree") ? "tree cut" : "grow";
    expect(parse(line)).toMatchObject({ kind: "run", command: { name }, ...want });
  });

  it.each([
    ["--help", []],
    ["-h", []],
    ["tree --help", ["tree"]],
    ["tree cut -h", ["tree", "cut"]],
    ["grow oak --help", ["grow"]],
    ["grow --help", ["grow"]],
  ])("%s asks for help", (line, words) => {
    expect(parse(line)).toEqual({ kind: "help", words });
  });
});

describe("refused, naming what and why", () => {
  it.each([
    ["", "no command was given"],
    ["tree", 'unknown command "tree"'],
    ["tree burn down", 'unknown command "tree burn"'],
    ["trees cut", 'unknown command "trees"'],
    ["grow", "grow needs TREE"],
    ["grow oak here now", 'grow: unexpected argument "now"'],
    ["grow oak -o wide", '--output is "wide", but it can only be json, yaml or name'],
    ["tree plant -o yaml", '--output is "yaml", but it can only be json\n'],
    ["tree cut -o json", "tree cut has no flag --output"],
    ["grow oak --deep", "grow has no flag --deep"],
    ["grow oak --colour", "unknown flag --colour"],
    ["grow oak -z", "unknown flag -z"],
    ["grow oak --high", "--high"],
    ["grow oak --fast=yes", "--fast"],
  ])("%s", (line, problem) => {
    expect(() => parse(line)).toThrow(CliError);
    expect(() => parse(line)).toThrow(problem);
    expect(() => parse(line)).toThrow(expect.objectContaining({ exitStatus: 2 }));
  });
});

describe("help", () => {
  it("lists every command", () => {
    expect(usageOf(commands, [])).toMatch(/grow +do it\n +tree cut +do it\n +tree plant/);
  });

  it("lists the commands of a group", () => {
    const usage = usageOf(commands, ["tree"]);
    expect(usage).toContain("tree cut");
    expect(usage).not.toContain("grow");
  });

  it("says all flags and examples of one", () => {
    const usage = usageOf(commands, ["grow"]);
    expect(usage).toContain("Usage: kubectl runwright grow TREE [PLACE] [flags]");
    expect(usage).toMatch(/--high METRES +how high/);
    expect(usage).toMatch(/-f, --fast +at once/);
    expect(usage).toMatch(/-o, --output FORMAT +json, yaml or name/);
    expect(usage).toMatch(/-n, --namespace NAME/);
    expect(usage).toContain("  kubectl runwright grow one");
  });

  it("has none for what there is not", () => {
    expect(usageOf(commands, ["shrub"])).toBeUndefined();
  });
});
