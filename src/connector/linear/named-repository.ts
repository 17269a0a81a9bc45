import type { Candidate } from "../candidates.ts";

/** A letter, digit or what else may stand inside a path. */
const inPath = String.raw`[\p{L}\p{N}_./-]`;

/**
 * The one candidate that a text names by `owner/name` or by its whole URL, without regard to case; undefined where it names
 * none, or two. Dots at the end of a sentence do not belong to a name.
 */
export function namedRepository(text: string, candidates: readonly Candidate[]): Candidate | undefined {
  const words = text.toLowerCase();
  const found = candidates.filter((candidate) => isNamed(words, candidate));
  return found.length === 1 ? found[0] : undefined;
}

function isNamed(text: string, { fullName, hostname }: Candidate): boolean {
  const name = escaped(fullName);
  const end = String.raw`(?=\.*(?!${inPath}))`;
  const alone = new RegExp(String.raw`(?<!${inPath})${name}${end}`, "u");
  const link = new RegExp(String.raw`(?<!${inPath})https://${escaped(hostname)}/${name}(\.git)?/?${end}`, "u");
  return alone.test(text) || link.test(text);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
}
