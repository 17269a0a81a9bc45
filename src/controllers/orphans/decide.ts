import type { OrphanEffect } from "./effects.ts";
import { type OrphanFacts, orphansIn } from "./facts.ts";
import { settleMs } from "./gone-owners.ts";

/** How often a namespace is looked at without an event: 10 minutes. */
const everyMs = 600_000;

/**
 * Decides which Secrets of a private namespace are deleted: those whose owner does not exist. After an owner has gone, the
 * next look comes soon: a controller may have been about to create another one for it.
 */
export function decideOrphans(facts: OrphanFacts, now: Date): { effects: OrphanEffect[]; requeueMs: number } {
  const effects = orphansIn(facts, now).map((secret): OrphanEffect => ({ kind: "deleteSecret", secret }));
  return { effects, requeueMs: facts.goneUids.size > 0 ? settleMs : everyMs };
}
