import type { CollectorEffect } from "./effects.ts";
import type { LeftoverFacts } from "./facts.ts";

/** How often the caches are searched without an event: 10 minutes. */
export const everyMs = 600_000;

/** Decides whether a leftover is deleted: when the API server, too, shows nothing that needs it. */
export function decideLeftover({ leftover, hasSandboxes, hasOwner }: LeftoverFacts): readonly CollectorEffect[] {
  return hasSandboxes || hasOwner ? [] : [{ kind: "deleteLeftover", leftover }];
}
