import type { Command } from "../command.ts";
import { commonFlags, outputFlag } from "./common-flags.ts";
import type { Flags } from "./flag.ts";

/**
 * Moves the command's name to the front, because Commander expects a command's own flags after its name. Arguments
 * that name no command stay as they are.
 */
export function commandFirst(argv: readonly string[], commands: readonly Command[]): string[] {
  const common = { ...commonFlags, ...outputFlag };
  const all = [common, ...commands.map(({ flags }) => flags)].flatMap(withValue);
  for (const { name, flags } of commands) {
    // A flag such as -f or --dry-run takes a value in one command and none in the next.
    const long = all
      .filter(([flag]) => !(flag in flags) || flags[flag]?.value !== undefined)
      .map(([flag]) => `--${flag}`);
    const letters = withValue({ ...common, ...flags }).map(([, { short = "" }]) => `-${short}`);
    const isWord = (at: number): boolean =>
      !argv[at]?.startsWith("-") && ![...long, ...letters].includes(argv[at - 1] ?? "");
    const wanted = name.split(" ");
    const places = [...argv.keys()].filter(isWord).slice(0, wanted.length);
    if (wanted.every((word, index) => argv[places[index] ?? -1] === word)) {
      return [...wanted, ...argv.filter((_, at) => !places.includes(at))];
    }
  }
  return [...argv];
}

function withValue(flags: Flags): [string, Flags[string]][] {
  return Object.entries(flags).filter(([, { value }]) => value !== undefined);
}
