import { describe, expect, it } from "vitest";

import { wholeNumber } from "./arguments/value-types.ts";
import { CliError } from "./cli-error.ts";
import { defineCommand } from "./command.ts";
import { readCommandLine } from "./program.ts";

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
  flags: {
    deep: { about: "roots too" },
    axe: { value: "FILE", repeats: true, about: "with these" },
    saws: { value: "N", type: wholeNumber, default: 2, about: "with so many" },
  },
});
const treePlant = defineCommand({ ...command, name: "tree plant", parameters: [], formats: ["json"] });
const commands = [grow, treeCut, treePlant];

function parse(line: string): ReturnType<typeof readCommandLine> {
  return readCommandLine(
    commands,
    line.split(" ").filter((word) => word !== ""),
  );
}

function helpOf(line: string): string {
  const request = parse(line);
  return request.kind === "help" ? request.text : "";
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
    ["tree -n park --deep cut", { args: [], flags: { deep: true, namespace: "park" } }],
    ["tree cut", { flags: { deep: false, axe: [], saws: 2 } }],
    ["--axe grow tree cut --axe b --saws 3", { flags: { axe: ["grow", "b"], saws: 3 } }],
    ["grow -fn park -- -1", { args: ["-1"], flags: { fast: true, namespace: "park" } }],
  ])("%s", (line, want) => {
    const name = line.includes("tree") ? "tree cut" : "grow";
    expect(parse(line)).toMatchObject({ kind: "run", command: { name }, ...want });
  });

  it.each([
    ["--help", "COMMAND"],
    ["-h", "COMMAND"],
    ["tree --help", "tree COMMAND"],
    ["tree cut -h", "tree cut"],
    ["grow oak --help", "grow TREE"],
    ["grow --help", "grow TREE"],
    ["--help grow", "grow TREE"],
  ])("%s asks for help", (line, usage) => {
    expect(helpOf(line)).toMatch(`Usage: kubectl runwright ${usage} `);
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
    ["grow oak --high", "--high needs a value"],
    ["grow oak --fast=yes", "--fast takes no value"],
    ["--axe a grow oak", "grow has no flag --axe"],
    ["grow oak --hihg 3", "unknown flag --hihg\nDid you mean --high?\nSee kubectl runwright grow --help"],
    ["--deep", "unknown flag --deep"],
    ["tree cut --saws 0", '--saws is "0", but it must be a whole number of 1 or more\nSee kubectl runwright tree cut'],
  ])("%s", (line, problem) => {
    expect(() => parse(line)).toThrow(CliError);
    expect(() => parse(line)).toThrow(problem);
    expect(() => parse(line)).toThrow(expect.objectContaining({ exitStatus: 2 }));
  });
});

describe("help", () => {
  it("lists every command", () => {
    expect(helpOf("--help")).toMatch(/grow +do it\n +tree cut +do it\n +tree plant/);
  });

  it("lists the commands of a group", () => {
    const usage = helpOf("tree --help");
    expect(usage).toContain("tree cut");
    expect(usage).not.toContain("grow");
  });

  it("says all flags and examples of one", () => {
    const usage = helpOf("grow --help");
    expect(usage).toContain("Usage: kubectl runwright grow TREE [PLACE] [flags]");
    expect(usage).toMatch(/--high METRES +how high/);
    expect(usage).toMatch(/-f, --fast +at once/);
    expect(usage).toMatch(/-o, --output FORMAT +json, yaml or name/);
    expect(usage).toMatch(/-n, --namespace NAME/);
    expect(usage).toContain("  kubectl runwright grow one");
  });

  it("has none for what there is not", () => {
    expect(() => parse("shrub --help")).toThrow('unknown command "shrub"');
    expect(() => parse("tree burn --help")).toThrow('unknown command "tree burn"');
  });
});
