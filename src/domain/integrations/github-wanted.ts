import type { GitHubOccurrence, GitHubTrigger } from "../../api/v1alpha1/index.ts";
import { matchesPattern } from "./branch-pattern.ts";

/** Why an event starts no Run of a trigger, in a sentence; undefined where it may. `slug` is the App's name. */
export function mismatchOf(occurrence: GitHubOccurrence, trigger: GitHubTrigger, slug: string): string | undefined {
  const { branch, targetBranch, conclusion, workflow } = occurrence;
  if (!trigger.events.includes(occurrence.type)) {
    return `the event is ${occurrence.type}, but must be one of ${trigger.events.join(", ")}`;
  }
  return (
    actorMismatch(occurrence, trigger, slug) ??
    unlike("branch", branch, trigger.branches, matchesPattern) ??
    unlike("target branch", targetBranch, trigger.targetBranches, matchesPattern) ??
    labelMismatch(occurrence, trigger) ??
    unlike("conclusion", conclusion, trigger.conclusions, isSame) ??
    unlike("workflow", workflow, trigger.workflows, isSame)
  );
}

/** Whether the one who caused the event must be known to be a writer; a bot that the trigger names may pass without. */
export function needsPermission({ actor }: GitHubOccurrence, { from, actors }: GitHubTrigger): boolean {
  if (from === "Anyone") return false;
  return !(isBot(actor) && has(actors, actor));
}

/** GitHub gives no login of a person that ends so. */
function isBot(login: string | undefined): boolean {
  return login?.endsWith("[bot]") ?? false;
}

function actorMismatch(
  { actor }: GitHubOccurrence,
  { from, actors, ignoredActors }: GitHubTrigger,
  slug: string,
): string | undefined {
  if (actor === undefined) {
    const isCompared = from === "Writers" || actors.length > 0 || ignoredActors.length > 0;
    return isCompared ? "GitHub does not say who caused the event" : undefined;
  }
  if (has(ignoredActors, actor)) return `events of ${actor} are ignored`;
  return actors.length > 0 ? unlike("actor", actor, actors, isAlike) : unnamedBot(actor, from, slug);
}

/** Why a bot that `actors` does not name starts nothing; undefined for one that may, and for people. */
function unnamedBot(actor: string, from: GitHubTrigger["from"], slug: string): string | undefined {
  // What an agent pushes and writes by the App would start the next Run.
  if (isAlike(`${slug}[bot]`, actor)) {
    return `${actor} is the App itself, whose events count only where actors names it`;
  }
  return from === "Writers" && isBot(actor) ? `${actor} is a bot, which actors must name` : undefined;
}

function labelMismatch(
  { type, labels = [], addedLabel }: GitHubOccurrence,
  { labels: wanted, withoutLabels }: GitHubTrigger,
): string | undefined {
  const there = type === "IssueLabeled" ? [addedLabel ?? ""] : labels;
  if (wanted.length > 0 && !there.some((label) => has(wanted, label))) {
    return `no label of the event's is one of ${wanted.join(", ")}`;
  }
  const unwanted = labels.find((label) => has(withoutLabels, label));
  return unwanted === undefined ? undefined : `it has the label ${JSON.stringify(unwanted)}`;
}

function unlike(
  what: string,
  value: string | undefined,
  wanted: readonly string[],
  matches: (wanted: string, value: string) => boolean,
): string | undefined {
  if (wanted.length === 0) return undefined;
  if (value !== undefined && wanted.some((one) => matches(one, value))) return undefined;
  const is = value === undefined ? `the event has no ${what}` : `the ${what} is ${JSON.stringify(value)}`;
  return `${is}, but must be one of ${wanted.join(", ")}`;
}

/** Without case, as GitHub compares logins and labels. */
function has(list: readonly string[], value: string | undefined): boolean {
  return value !== undefined && list.some((one) => isAlike(one, value));
}

function isAlike(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}

function isSame(left: string, right: string): boolean {
  return left === right;
}
