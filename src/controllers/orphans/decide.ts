import type { OrphanEffect } from "./effects.ts";
import { type OrphanFacts, orphansIn } from "./facts.ts";

export interface OrphanDecision {
  effects: readonly OrphanEffect[];
  requeueMs: number;
}

/** How often a namespace is looked at without an event: 10 minutes. */
const everyMs = 600_000;

/** Decides which Secrets of a private namespace are deleted: those whose owner does not exist. */
export function decideOrphans(facts: OrphanFacts, now: Date): OrphanDecision {
  return { effects: orphansIn(facts, now).map((secret) => ({ kind: "deleteSecret", secret })), requeueMs: everyMs };
}
