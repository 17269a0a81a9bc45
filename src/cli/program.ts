import { Argument, Command as Parser, CommanderError, Option } from "commander";

import { commandFirst } from "./arguments/command-first.ts";
import { commonFlags, outputFlag } from "./arguments/common-flags.ts";
import { explainMisuse, leavesOf, pathOf } from "./arguments/explain-misuse.ts";
import type { Flag, Flags } from "./arguments/flag.ts";
import { inWords, oneOf, readValue } from "./arguments/value-types.ts";
import type { Command } from "./command.ts";
import type { Format } from "./output/printable.ts";

/** What the user asked for. */
export type Request = { kind: "help"; text: string } | RunRequest;

/** A command to run, with its arguments and the values of its flags. */
export interface RunRequest {
  kind: "run";
  command: Command;
  args: readonly string[];
  flags: Readonly<Record<string, unknown>>;
  format: Format | undefined;
}

const commonGroup = "Flags of every command:";

/** The flags that a command takes, common ones included. */
export function flagsOf({ flags, formats }: Command): Flags {
  const output = { ...outputFlag.output, type: oneOf(formats), about: `${inWords(formats)} instead of text` };
  return { ...flags, ...(formats.length > 0 && { output }), ...commonFlags };
}

/** Reads the arguments; help is at most `columns` wide. @throws CliError that names the mistake */
export function readCommandLine(commands: readonly Command[], argv: readonly string[], columns = 80): Request {
  let help = "";
  const requests: Request[] = [];
  const root = rootParser(columns, (text) => (help += text));
  for (const command of commands) {
    const parser = addParser(root, command);
    parser.action(() => void requests.push(runRequest(command, parser)));
  }
  try {
    root.parse(commandFirst(argv, commands), { from: "user" });
  } catch (error) {
    // After showing help Commander throws as well; mistakes are CliErrors by now.
    if (!(error instanceof CommanderError)) throw error;
  }
  return requests[0] ?? { kind: "help", text: help };
}

function runRequest(command: Command, parser: Parser): RunRequest {
  const values = parser.optsWithGlobals();
  const flags = Object.fromEntries(
    parser.options.map((option): [string, unknown] => {
      const absent = option.isBoolean() ? false : command.flags[option.name()]?.repeats && [];
      return [option.name(), values[option.attributeName()] ?? absent];
    }),
  );
  return { kind: "run", command, args: parser.args, flags, format: flags.output as Format | undefined };
}

function rootParser(columns: number, writeOut: (text: string) => void): Parser {
  const help = new Option("-h, --help", "explain a command, its flags and examples").helpGroup(commonGroup);
  const root = new Parser("kubectl runwright")
    .helpCommand(false)
    .addHelpOption(help)
    .configureOutput({ writeOut, writeErr: () => undefined, getOutHelpWidth: () => columns })
    .configureHelp({
      minWidthToWrap: 20,
      visibleCommands: ({ commands }) => commands.flatMap(leavesOf),
      subcommandTerm: pathOf,
      optionTerm: ({ short, flags }) => `${short === undefined ? "    " : ""}${flags.replace(/<(.*)>/, "$1")}`,
    });
  addFlags(root, commonFlags);
  return asGroup(root).description(
    "Works with Runwright: starts Automations, talks to Sessions and explains webhooks.",
  );
}

/** Completes a parser that only has commands below it. */
function asGroup(parser: Parser): Parser {
  return withErrors(parser)
    .usage("COMMAND [flags]")
    .addHelpText(
      "after",
      "\nNames are NAME or NAMESPACE/NAME. For details and examples: kubectl runwright COMMAND --help",
    );
}

function withErrors(parser: Parser): Parser {
  return parser.exitOverride((error) => {
    throw explainMisuse(error, parser);
  });
}

function addParser(root: Parser, command: Command): Parser {
  const { name, summary, details, parameters, examples } = command;
  const groups = name.split(" ");
  const last = groups.pop() ?? "";
  const parser = withErrors(groups.reduce(groupIn, root).command(last))
    .summary(summary)
    .description([`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`, details ?? ""].join("\n\n").trim())
    .usage([...parameters, "[flags]"].join(" "))
    .addHelpText("after", `\nExamples:\n${examples.map((example) => `  kubectl runwright ${example}`).join("\n")}`);
  for (const parameter of parameters) {
    parser.addArgument(new Argument(parameter.startsWith("[") ? parameter : `<${parameter}>`));
  }
  addFlags(parser, flagsOf(command));
  return parser;
}

function groupIn(parent: Parser, word: string): Parser {
  return parent.commands.find((one) => one.name() === word) ?? asGroup(parent.command(word));
}

function addFlags(parser: Parser, flags: Flags): void {
  for (const [name, flag] of Object.entries(flags)) {
    const option = optionOf(name, flag, pathOf(parser));
    parser.addOption(option.helpGroup(name in commonFlags ? commonGroup : "Flags:"));
  }
}

function optionOf(name: string, flag: Flag, command: string): Option {
  const { short, value, type, repeats, about } = flag;
  const letter = short === undefined ? "" : `-${short}, `;
  const option = new Option(`${letter}--${name}${value === undefined ? "" : ` <${value}>`}`, about);
  if (flag.default !== undefined) option.default(flag.default, String(flag.default));
  if (repeats) option.argParser((text, before: readonly string[] | undefined) => [...(before ?? []), text]);
  else if (type) option.argParser((text) => readValue(type, `--${name}`, text, command));
  return option;
}
