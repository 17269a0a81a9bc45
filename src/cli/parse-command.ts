import { parseArgs, type ParseArgsConfig } from "node:util";

import { CliError } from "./cli-error.ts";
import type { AnyFlagValue, Command, Flag, Flags } from "./command.ts";
import { commonFlags } from "./arguments/common-flags.ts";
import type { Format } from "./output/printable.ts";

/** What the user asked for. */
export type Request =
  /** `words` are the beginning of commands' names; none: all commands. */
  | { kind: "help"; words: readonly string[] }
  | {
      kind: "run";
      command: Command;
      args: readonly string[];
      flags: Record<string, AnyFlagValue>;
      format: Format | undefined;
    };

const outputFlag: Flag = { short: "o", value: "FORMAT", about: "" };

/** The flags that a command takes, common ones included. */
export function flagsOf(command: Command): Flags {
  const output = { output: { ...outputFlag, about: `${listed(command.formats)} instead of text` } };
  return { ...command.flags, ...(command.formats.length > 0 ? output : {}), ...commonFlags };
}

/** Reads the arguments. @throws CliError naming what cannot be understood */
export function parseCommand(commands: readonly Command[], argv: readonly string[]): Request {
  const { values, positionals } = parseAll(commands, argv);
  const command = commands.find(({ name }) => startsWith(positionals, name.split(" ")));
  if (values.help === true) return { kind: "help", words: command ? command.name.split(" ") : positionals };
  if (!command) throw misuse(unknownCommand(commands, positionals));
  for (const name of Object.keys(values)) {
    if (!(name in flagsOf(command))) throw misuse(`${command.name} has no flag --${name}`, command);
  }
  const args = positionals.slice(command.name.split(" ").length);
  checkCount(command, args);
  const given = Object.keys(command.flags).map((name) => [name, values[name] ?? defaultOf(command.flags[name])]);
  const flags = { ...values, ...(Object.fromEntries(given) as typeof values) };
  return { kind: "run", command, args, flags, format: formatOf(command, values.output) };
}

/** A flag may stand before the command, so all that any command has are known while reading. */
function parseAll(
  commands: readonly Command[],
  argv: readonly string[],
): { values: Record<string, AnyFlagValue>; positionals: string[] } {
  const own = likelyCommand(commands, argv)?.flags ?? {};
  const others = Object.assign({ output: outputFlag, ...commonFlags }, ...commands.map(({ flags }) => flags)) as Flags;
  // A letter such as -f means one thing to one command and another to the next.
  const taken = new Set(Object.values(own).map(({ short }) => short));
  const options: NonNullable<ParseArgsConfig["options"]> = {};
  for (const [name, { short, value, repeats = false }] of Object.entries({ ...others, ...own })) {
    const hasShort = short !== undefined && (name in own || !taken.has(short));
    options[name] = {
      type: value === undefined ? "boolean" : "string",
      multiple: repeats,
      ...(hasShort ? { short } : {}),
    };
  }
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
    // Only flags with a value are declared as ones that may be repeated.
    return { values: values as Record<string, AnyFlagValue>, positionals };
  } catch (error) {
    throw misuse(problemOf(error));
  }
}

/** The command that the words name, wherever flags stand between them and before them. */
function likelyCommand(commands: readonly Command[], argv: readonly string[]): Command | undefined {
  const words = argv.filter((word) => !word.startsWith("-"));
  const starts = words.map((_, index) => words.slice(index));
  const found = starts.map((rest) => commands.find(({ name }) => startsWith(rest, name.split(" "))));
  return found.find((command) => command !== undefined);
}

function problemOf(error: unknown): string {
  const message = error instanceof Error ? error.message : "the flags cannot be read";
  const unknown = /^Unknown option '(.+?)'/.exec(message)?.[1];
  return unknown === undefined ? message : `unknown flag ${unknown}`;
}

function defaultOf(flag: Flag | undefined): AnyFlagValue {
  if (flag?.repeats) return [];
  return flag?.value === undefined ? false : undefined;
}

function startsWith(words: readonly string[], name: readonly string[]): boolean {
  return name.every((word, index) => words[index] === word);
}

/** Names as many words as could have begun a command, and the one that did not. */
function unknownCommand(commands: readonly Command[], words: readonly string[]): string {
  const isBeginning = (count: number): boolean => {
    return commands.some(({ name }) => startsWith(name.split(" "), words.slice(0, count)));
  };
  const known = words.findIndex((_, index) => !isBeginning(index + 1));
  const shown = known < 0 ? words : words.slice(0, known + 1);
  return shown.length === 0 ? "no command was given" : `unknown command "${shown.join(" ")}"`;
}

function checkCount(command: Command, args: readonly string[]): void {
  const { name, parameters } = command;
  const missing = parameters.slice(args.length).find((parameter) => !parameter.startsWith("["));
  if (missing !== undefined) throw misuse(`${name} needs ${missing}`, command);
  const extra = args.slice(parameters.length);
  if (extra.length > 0) throw misuse(`${name}: unexpected argument "${extra.join(" ")}"`, command);
}

function formatOf(command: Command, output: AnyFlagValue): Format | undefined {
  if (output === undefined) return undefined;
  const format = command.formats.find((one) => one === output);
  if (format) return format;
  throw misuse(`--output is "${String(output)}", but it can only be ${listed(command.formats)}`, command);
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`;
}

/** A command line that cannot be understood. */
export function misuse(problem: string, command?: Command): CliError {
  const where = command ? ` ${command.name}` : "";
  return new CliError(`${problem}\nSee kubectl runwright${where} --help`, 2);
}
