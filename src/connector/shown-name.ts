import { firstCharacters } from "../lib/characters.ts";

const longest = 80;

/** A person's name as prompts show it: it may hold anything, so it is one line of letters, at most 80 characters. */
export function shownName(name: string): string {
  const line = name.replaceAll(/[^\p{L}\p{N} .'-]+/gu, " ").trim();
  return firstCharacters(line, longest);
}
