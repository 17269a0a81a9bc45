import {
  type Automation,
  type GitHubOccurrence,
  GitHubTrigger,
  type IntegrationEvent,
} from "../../../api/v1alpha1/index.ts";
import { pausedBecause } from "../../../domain/deliveries/not-started.ts";
import type { Startable } from "../../automations/starts.ts";
import { githubOf } from "../rules.ts";
import { mismatchOf, needsPermission } from "../../../domain/integrations/github-wanted.ts";

/** What an event is to one Automation: why it starts no Run, in a sentence, or that it may start one. */
export type Judgement =
  { automation: Automation; problem: string } | (Startable & { problem?: undefined; needsPermission: boolean });

/** What an event is held against, beside the Automation. */
export interface JudgedBy {
  /** The name of the Integration's App. */
  slug: string;
  /** Names of the Repositories that the event is about. */
  repositories: readonly string[];
}

/** What happened, of an event that holds it. */
export function occurrenceOf(event: IntegrationEvent): GitHubOccurrence {
  const { occurrence } = githubOf(event);
  if (!occurrence) throw new Error("the event holds nothing for Automations");
  return occurrence;
}

/** Holds an event against an Automation of its Integration. */
export function judge(event: IntegrationEvent, automation: Automation, { slug, repositories }: JudgedBy): Judgement {
  const { data: trigger } = GitHubTrigger.safeParse(automation.spec.trigger.github);
  // Of a later version, or stored before a rule.
  if (!trigger) return { automation, problem: "its stored trigger cannot be read" };
  const occurrence = occurrenceOf(event);
  const problem =
    pausedBecause(automation) ??
    otherRepository(event, automation, repositories) ??
    mismatchOf(occurrence, trigger, slug);
  if (problem !== undefined) return { automation, problem };
  const { maxUnfinishedRuns } = trigger;
  return { automation, maxUnfinishedRuns, needsPermission: needsPermission(occurrence, trigger) };
}

function otherRepository(
  event: IntegrationEvent,
  { spec: { targets } }: Automation,
  repositories: readonly string[],
): string | undefined {
  const name = githubOf(event).repository?.name ?? "";
  if (repositories.length === 0) return `${name} is none of the Integration's github.repositories`;
  const target = targets[0]?.repositoryRef?.name ?? "";
  if (repositories.includes(target)) return undefined;
  return `its target is Repository ${target}, and the event is about ${name}`;
}
