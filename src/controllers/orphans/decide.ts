import type { OrphanEffect } from "./effects.ts";
import { type OrphanFacts, orphansIn } from "./facts.ts";

/** How often a namespace is looked at without an event: 10 minutes. */
const everyMs = 600_000;

/** Decides which Secrets of a private namespace are deleted: those whose owner does not exist. */
export function decideOrphans(facts: OrphanFacts, now: Date): { effects: OrphanEffect[]; requeueMs: number } {
  return { effects: orphansIn(facts, now).map((secret) => ({ kind: "deleteSecret", secret })), requeueMs: everyMs };
}
