import type { RoutingRule, Target } from "../../api/v1alpha1/index.ts";
import { foldCase } from "../../lib/fold-case.ts";

/** Targets of the rules whose keyword is in one of the texts, each target once, those that are gone left out. */
export function matchedTargets(
  rules: readonly RoutingRule[],
  texts: readonly string[],
  exists: (target: Target) => boolean,
): Target[] {
  const collapsed = texts.map(collapse);
  const matching = rules.filter(({ keyword }) => collapsed.some((text) => hasKeyword(text, keyword)));
  const byName = new Map(matching.map(({ target }) => [targetKey(target), target]));
  return [...byName.values()].filter(exists);
}

/** `repository/NAME` or `environment/NAME`. */
export function targetKey({ repositoryRef, environmentRef }: Target): string {
  return repositoryRef ? `repository/${repositoryRef.name}` : `environment/${environmentRef?.name ?? ""}`;
}

/**
 * Whether a keyword stands in a text as a whole word: what is before and after it is no letter, digit or underscore of any script.
 * It is no pattern; several words match as a phrase.
 */
export function hasKeyword(text: string, keyword: string): boolean {
  const wanted = foldCase(collapse(keyword));
  const words = foldCase(collapse(text));
  for (let at = words.indexOf(wanted); at >= 0; at = words.indexOf(wanted, at + 1)) {
    if (!endsInWord.test(words.slice(0, at)) && !beginsInWord.test(words.slice(at + wanted.length))) return true;
  }
  return false;
}

const endsInWord = /[\p{L}\p{M}\p{N}_]$/u;
const beginsInWord = /^[\p{L}\p{M}\p{N}_]/u;

function collapse(text: string): string {
  return text.replaceAll(/\s+/gu, " ").trim();
}
