import type { Choice } from "./complete.ts";

/**
 * Choices as kubectl and the shells' scripts read them, in the format of cobra's `__complete`: a word a line, a tab before
 * what it is about, and in the last line whether the shell may offer files too (`:0`) or not (`:4`).
 */
export function completionLines(choices: readonly Choice[], files: boolean): string {
  const lines = choices.map(({ word, about }) => (about === "" ? word : `${word}\t${about}`));
  return [...lines, files ? ":0" : ":4", ""].join("\n");
}
