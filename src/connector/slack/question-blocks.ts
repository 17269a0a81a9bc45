import type { Button, KnownBlock, PlainTextOption, StaticSelect } from "@slack/types";

import type { Target } from "../../api/v1alpha1/index.ts";
import { cutCharacters } from "../../lib/characters.ts";
import { targetKey } from "./routing-rules.ts";

/** Entries of one group of a list of Slack's. */
const perGroup = 100;
/** Characters of what an entry or a button says. */
const longestOption = 75;

/** A list of targets with buttons for those that are suggested; `postId` comes back with a click. */
export function questionBlocks(
  { postId, text }: { postId: string; text: string },
  { suggestions, offered }: { suggestions: readonly Target[]; offered: readonly Target[] },
): KnownBlock[] {
  const asked: KnownBlock = { type: "section", text: { type: "mrkdwn", text } };
  if (offered.length === 0) return [asked];
  const elements: (Button | StaticSelect)[] = [...suggestions.map(buttonOf), listOf(offered)];
  return [asked, { type: "actions", block_id: postId, elements }];
}

function buttonOf(target: Target, index: number): Button {
  const { text, value } = optionOf(target);
  return { type: "button", action_id: `suggestion-${index}`, text: { type: "plain_text", text }, value };
}

function listOf(targets: readonly Target[]): StaticSelect {
  const options = targets.map((target): PlainTextOption => {
    const { text, value } = optionOf(target);
    return { text: { type: "plain_text", text }, value };
  });
  const groups = Array.from({ length: Math.ceil(options.length / perGroup) }, (_, index) => ({
    label: { type: "plain_text" as const, text: index === 0 ? "Repositories and environments" : "More" },
    options: options.slice(index * perGroup, (index + 1) * perGroup),
  }));
  return {
    type: "static_select",
    action_id: "choose",
    placeholder: { type: "plain_text", text: "Choose one" },
    option_groups: groups,
  };
}

function optionOf(target: Target): { text: string; value: string } {
  const name = target.repositoryRef?.name ?? target.environmentRef?.name ?? "";
  const kind = target.repositoryRef ? "" : " (environment)";
  return { text: cutCharacters(name, longestOption - kind.length) + kind, value: targetKey(target) };
}
