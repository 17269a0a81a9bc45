import type { Command, Flags } from "./command.ts";
import { commonFlags } from "./arguments/common-flags.ts";
import { flagsOf } from "./parse-command.ts";
import { textTable } from "./output/table.ts";

/** The help for the commands whose names begin with these words; undefined where there is none. */
export function usageOf(commands: readonly Command[], words: readonly string[]): string | undefined {
  const found = commands.filter(({ name }) => words.every((word, index) => name.split(" ")[index] === word));
  const [only] = found;
  if (!only) return undefined;
  return found.length === 1 && only.name === words.join(" ") ? commandUsage(only) : listUsage(found);
}

function listUsage(commands: readonly Command[]): string {
  return [
    "Usage: kubectl runwright COMMAND [flags]",
    `Commands:\n${indented(commands.map(({ name, summary }) => [name, summary]))}`,
    `Flags of every command:\n${flagLines(commonFlags)}`,
    "An AUTOMATION is NAME or NAMESPACE/NAME. kubectl runwright COMMAND --help says more and gives examples.",
  ]
    .join("\n\n")
    .concat("\n");
}

function commandUsage(command: Command): string {
  const { name, summary, details, parameters, examples } = command;
  const parts = [
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    ...(details === undefined ? [] : [details]),
    `Usage: ${["kubectl runwright", name, ...parameters, "[flags]"].join(" ")}`,
    `Flags:\n${flagLines(flagsOf(command))}`,
    `Examples:\n${examples.map((example) => `  kubectl runwright ${example}`).join("\n")}`,
  ];
  return `${parts.join("\n\n")}\n`;
}

function flagLines(flags: Flags): string {
  const rows = Object.entries(flags).map(([name, { short, value, about }]) => [
    `${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`,
    about,
  ]);
  return indented(rows);
}

function indented([first = [], ...rest]: readonly string[][]): string {
  return textTable(first, rest).replaceAll(/^/gm, "  ");
}
