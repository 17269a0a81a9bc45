import { repositoryPlace } from "../../domain/integrations/repository-place.ts";
import type { Candidate } from "../candidates.ts";

/** A letter, digit or what else may stand inside a path. */
const inPath = String.raw`[\p{L}\p{N}_./-]`;

/** A clone URL in any of its forms, as far as it can go. */
const cloneUrl = /(?<![\p{L}\p{N}_.@/-])(?:(?:https|ssh):\/\/|[a-z0-9_][a-z0-9_.-]*@[a-z0-9.-]+:)[^\s<>"'`()[\]{}]+/gu;
/** URLs of a text that are looked at. */
const mostUrls = 100;

/**
 * The one candidate that a text names by `owner/name` or by its whole clone URL, without regard to case; undefined where it names
 * none, or two. Marks at the end of a sentence do not belong to a name.
 */
export function namedRepository(text: string, candidates: readonly Candidate[]): Candidate | undefined {
  const words = text.toLowerCase();
  const places = (words.match(cloneUrl) ?? [])
    .slice(0, mostUrls)
    .map((url) => repositoryPlace(url.replace(/[.,;:!?*]+$/, "")));
  const isLinked = ({ fullName, hostname }: Candidate): boolean =>
    places.some((place) => place.fullName === fullName && place.hostname === hostname);
  const found = candidates.filter((candidate) => isNamed(words, candidate) || isLinked(candidate));
  return found.length === 1 ? found[0] : undefined;
}

function isNamed(text: string, { fullName }: Candidate): boolean {
  return new RegExp(String.raw`(?<!${inPath})${escaped(fullName)}(?=\.*(?!${inPath}))`, "u").test(text);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
}
