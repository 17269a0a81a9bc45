import { countCharacters, firstCharacters, lastCharacters } from "../../lib/characters.ts";

export interface CutHunk {
  text: string;
  isCut: boolean;
}

/**
 * At most so many characters of a hunk: its header and its end, since it ends at the line that a comment is about. A header that
 * would take half of them is cut, too.
 */
export function cutHunk(hunk: string, most: number): CutHunk {
  if (countCharacters(hunk) <= most) return { text: hunk, isCut: false };
  const [first = ""] = hunk.split("\n", 1);
  const head = `${firstCharacters(first, Math.floor(most / 2))}\n`;
  return { text: `${head}${lastCharacters(hunk, most - countCharacters(head))}`, isCut: true };
}
