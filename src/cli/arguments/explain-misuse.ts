import type { Command as Parser, CommanderError, Option } from "commander";

import { misuse, type CliError } from "../cli-error.ts";

/** The name of a parser's command, such as `session logs`; empty for the program itself. */
export function pathOf(parser: Parser): string {
  return parser.parent ? `${pathOf(parser.parent)} ${parser.name()}`.trim() : "";
}

/** Parsers of commands that can be run, at or below a parser. */
export function leavesOf(parser: Parser): readonly Parser[] {
  return parser.commands.length === 0 ? [parser] : parser.commands.flatMap(leavesOf);
}

/** Turns an error of Commander into one that names the mistake and the next step; a request for help stays as it is. */
export function explainMisuse(error: CommanderError, parser: Parser): CliError | CommanderError {
  const { args, commands, registeredArguments } = parser;
  const path = pathOf(parser);
  switch (error.code) {
    case "commander.helpDisplayed":
      // Commander shows a group's help for a command that the group does not have.
      return commands.length === 0 || args[0]?.startsWith("-") ? error : unknownCommand(parser);
    case "commander.help":
    case "commander.unknownCommand":
      return unknownCommand(parser);
    case "commander.missingArgument":
      return misuse(`${path} needs ${registeredArguments[args.length]?.name()}`, path);
    case "commander.excessArguments":
      return misuse(`${path}: unexpected argument "${args.slice(registeredArguments.length).join(" ")}"`, path);
    default:
      return misuse(flagProblem(error, parser), path);
  }
}

function unknownCommand(parser: Parser): CliError {
  const words = [pathOf(parser), ...parser.args.slice(0, 1)].join(" ").trim();
  return misuse(words === "" ? "no command was given" : `unknown command "${words}"`);
}

/** Reads the flag from Commander's message, the only place that names it. */
function flagProblem({ code, message }: CommanderError, parser: Parser): string {
  const [, flag = "", hint = ""] = /'(.+?)(?:[ =][^']*)?'(?:\n\((.+)\))?/.exec(message.replace(/-., /, "")) ?? [];
  if (code === "commander.optionMissingArgument") return `${flag} needs a value`;
  const isFlag = ({ short, long }: Option): boolean => flag === short || flag === long;
  if (parser.options.some(isFlag)) return `${flag} takes no value`;
  const elsewhere = leavesOf(rootOf(parser))
    .flatMap(({ options }) => options)
    .find(isFlag);
  return elsewhere && parser.parent
    ? `${pathOf(parser)} has no flag ${elsewhere.long}`
    : `unknown flag ${flag}\n${hint}`.trim();
}

function rootOf(parser: Parser): Parser {
  return parser.parent ? rootOf(parser.parent) : parser;
}
