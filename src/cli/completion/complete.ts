import { commandFirst } from "../arguments/command-first.ts";
import type { Flag, Flags } from "../arguments/flag.ts";
import type { Command } from "../command.ts";
import { flagsOf } from "../program.ts";

/** A word that may stand at the cursor. */
export interface Choice {
  word: string;
  about: string;
}

/** What may stand at the cursor. */
export interface Completion {
  choices: readonly Choice[];
  /** Names of kinds such as `AUTOMATION`, whose objects in the cluster may stand there too. */
  kinds: readonly string[];
  /** Whether paths of files may stand there too. */
  files: boolean;
}

/**
 * What may stand in place of the last of the words after `kubectl runwright`, which is the beginning of a word and may be
 * empty. Nothing where the words before it make no sense.
 */
export function complete(commands: readonly Command[], words: readonly string[]): Completion {
  const before = words.slice(0, -1);
  const partial = words.at(-1) ?? "";
  const { choices = [], kinds = [], files = false } = possible(commands, before, partial);
  return { choices: choices.filter(({ word }) => word.startsWith(partial)), kinds, files };
}

function possible(commands: readonly Command[], before: readonly string[], partial: string): Partial<Completion> {
  const ordered = commandFirst(before, commands);
  const command = commands.find(({ name }) => name.split(" ").every((word, at) => ordered[at] === word));
  if (!command) return { choices: nextWords(commands, before) };
  const rest = ordered.slice(command.name.split(" ").length);
  const flag = flagWithValue(command, before.at(-1));
  if (flag) return valuesOf(command, flag);
  if (partial.startsWith("-") && !rest.includes("--")) return { choices: flagChoices(command, rest) };
  return valuesOfParameter(command.parameters[positionalsOf(command, rest).length]);
}

/** The next word of each command that begins with these words; in front of the last word, its summary. */
function nextWords(commands: readonly Command[], before: readonly string[]): Choice[] {
  const fitting = commands.filter(({ name }) => before.every((word, at) => name.split(" ")[at] === word));
  const choices = fitting.map(({ name, summary }) => {
    const [word = "", ...further] = name.split(" ").slice(before.length);
    return { word, about: further.length === 0 ? summary : `commands for a ${word}` };
  });
  return [...new Map(choices.map((choice) => [choice.word, choice])).values()];
}

/** The flag of this spelling, if it takes a value and the word has none after `=`. */
function flagWithValue(command: Command, word = ""): [string, Flag] | undefined {
  return Object.entries(flagsOf(command)).find(
    ([name, { short, value }]) => value !== undefined && (word === `--${name}` || word === `-${short ?? ""}`),
  );
}

function valuesOf({ formats }: Command, [name, { value }]: [string, Flag]): Partial<Completion> {
  if (name === "output") return { choices: formats.map((word) => ({ word, about: "" })) };
  return { files: value === "FILE" };
}

/** The flags that may still be given. */
function flagChoices(command: Command, given: readonly string[]): Choice[] {
  const flags: Flags = { ...flagsOf(command), help: { about: "explain the command" } };
  return Object.entries(flags)
    .filter(([name, { repeats = false }]) => repeats || !given.includes(`--${name}`))
    .map(([name, { about }]) => ({ word: `--${name}`, about }));
}

function positionalsOf(command: Command, rest: readonly string[]): readonly string[] {
  return rest.filter((word, at) => !word.startsWith("-") && !flagWithValue(command, rest[at - 1]));
}

/** Lower-case words are written as they are, such as `bash|zsh`; others stand for names of objects. */
function valuesOfParameter(parameter = ""): Partial<Completion> {
  const words = parameter.replace(/[[\]]/g, "").split("|").filter(Boolean);
  const choices = words.filter((word) => word === word.toLowerCase()).map((word) => ({ word, about: "" }));
  return choices.length > 0 ? { choices } : { kinds: words };
}
