import { countCharacters } from "../../../lib/characters.ts";

/** Characters of a list in a section of Slack's, which takes 3,000 with what is written around it. */
const listCharacters = 2_700;

/** As many of the entries as a section of Slack's has room for, and how many more there are. */
export function listText(entries: readonly string[], separator: string): string {
  let text = "";
  for (const [index, entry] of entries.entries()) {
    const longer = index === 0 ? entry : `${text}${separator}${entry}`;
    if (countCharacters(longer) > listCharacters) return `${text}${separator}and ${entries.length - index} more`;
    text = longer;
  }
  return text;
}
