import type { Integration, SlackEvent, Target } from "../../api/v1alpha1/index.ts";
import type { FoundTarget } from "../conversations/facts.ts";
import { matchedTargets, targetKey } from "./routing-rules.ts";

export interface Wanted {
  settings: NonNullable<Integration["spec"]["slack"]>;
  event: Pick<SlackEvent, "text" | "forwarded" | "channelID">;
  /** Whether what a setting names exists; one whose target does not is passed over. */
  exists: (target: Target) => boolean;
}

export const noTargets = "No repository is set up for requests here. Ask the operator of Runwright to add one.";
export const targetQuestion = "What is this about?";

/** What a request is about: rules, then the channel, then the only target there is; else the person is asked. */
export function decideTarget({ settings, event, exists }: Wanted): FoundTarget {
  const offered = offeredTargets(settings).filter(exists);
  const texts = [event.text ?? "", ...(event.forwarded ?? []).map(({ text }) => text)];
  const ruled = matchedTargets(settings.rules, texts, exists);
  const mapped = ofChannel(settings, event.channelID).filter(exists);
  const [only, ...others] = ruled.length > 0 ? ruled : mapped;
  if (only && others.length === 0) return { kind: "target", target: only };
  if (only) return ask([only, ...others]);
  const [single, ...more] = offered;
  if (single && more.length === 0) return { kind: "target", target: single };
  return single ? ask([]) : { kind: "ask", question: noTargets };
}

function ask(suggestions: readonly Target[]): FoundTarget {
  return { kind: "ask", question: targetQuestion, suggestions: suggestions.slice(0, 5) };
}

function ofChannel({ channels }: Wanted["settings"], channelId: string): Target[] {
  const targets = channels.filter(({ id }) => id === channelId).map(({ target }) => target);
  return [...new Map(targets.map((target) => [targetKey(target), target])).values()];
}

/** All targets that requests may be about, each once. */
export function offeredTargets({ repositories, environments, rules, channels }: Wanted["settings"]): Target[] {
  const all: Target[] = [
    ...repositories.map((repositoryRef) => ({ repositoryRef })),
    ...environments.map((environmentRef) => ({ environmentRef })),
    ...[...rules, ...channels].map(({ target }) => target),
  ];
  return [...new Map(all.map((target) => [targetKey(target), target])).values()];
}

/** The target that a choice names; undefined where it is none of those that are offered and exist. */
export function chosenTarget(
  { settings, exists }: Pick<Wanted, "settings" | "exists">,
  value: string,
): Target | undefined {
  return offeredTargets(settings).find((target) => targetKey(target) === value && exists(target));
}
