import { countCharacters, firstCharacters } from "../../lib/characters.ts";

/** Characters of a section of Slack's. */
const sectionCharacters = 3_000;
/** Sections of an answer, and of one message: Slack refuses a message near 12,000 characters in all. */
const mostSections = 20;
const perMessage = 3;
/** Room for a fence that is closed and opened again. */
const fenceRoom = 120;

/** An answer as messages, each a list of sections; code that is cut is closed and opened again. `end` follows a cut answer. */
export function answerMessages(text: string, end: string): string[][] {
  const sections = sectionsOf(escaped(text));
  const shown = sections.length > mostSections ? [...sections.slice(0, mostSections), end] : sections;
  const messages: string[][] = [];
  for (let at = 0; at < shown.length; at += perMessage) messages.push(shown.slice(at, at + perMessage));
  return messages;
}

/** Mentions of an agent's reach no person: what Slack would read as one is shown as text. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function sectionsOf(text: string): string[] {
  const sections: string[] = [];
  let fence: string | undefined;
  for (let rest = text; rest !== "" && sections.length <= mostSections;) {
    const opening = fence === undefined ? "" : `${fence}\n`;
    const part = nextPart(rest, sectionCharacters - fenceRoom);
    rest = rest.slice(part.length);
    fence = fenceAfter(part, fence);
    const closing = fence === undefined ? "" : "\n```";
    const section = `${opening}${part.replace(/\n$/, "")}${closing}`;
    if (section.trim() !== "") sections.push(section);
  }
  return sections;
}

/** Up to the last line break that is late enough, or else in the middle of a line; never in the middle of an entity. */
function nextPart(text: string, most: number): string {
  if (countCharacters(text) <= most) return text;
  const first = firstCharacters(text, most);
  const line = first.lastIndexOf("\n") + 1;
  if (line > first.length / 2) return first.slice(0, line);
  return withoutCutEntity(first);
}

/** The first `count` code points of text that {@link escaped} gave; never half of a sign. */
export function firstEscaped(text: string, count: number): string {
  return text.length <= count ? text : withoutCutEntity(firstCharacters(text, count));
}

function withoutCutEntity(text: string): string {
  return text.replace(/&[a-z]{0,3}$/, "");
}

/** The fence that is open after a part: Slack's own has no language, which may be longer than there is room for. */
function fenceAfter(part: string, before: string | undefined): string | undefined {
  const count = part.split("```").length - 1;
  const isOpen = (before !== undefined) !== (count % 2 === 1);
  return isOpen ? "```" : undefined;
}
