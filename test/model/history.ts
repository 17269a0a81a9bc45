import { type Run } from "../../src/api/v1alpha1/index.ts";
import { isCompleted, isSettled, isSkipped } from "../../src/domain/runs/run-state.ts";
import type { Model } from "./model.ts";
import type { World } from "./world.ts";

/**
 * What is wrong with the history of the Automation: of its Runs that completed, failed or were skipped, so many
 * of each are kept, and of the others what remembers an idempotency key, emptied.
 */
export function unpruned(world: World, model: Model): string | undefined {
  const { current } = model;
  if (!current) return undefined;
  const stored = world.commons.observation
    .runs(world.namespace)
    .filter(({ metadata }) => metadata.labels?.["runwright.dev/automation-uid"] === current.uid);
  const forgotten = [...current.usedKeys].find((key) => {
    return !world.ledger.runsOfKey(current.uid, key).some(({ uid }) => stored.some((run) => run.metadata.uid === uid));
  });
  if (forgotten !== undefined) return `the idempotency key ${forgotten} is remembered`;
  const ended = model.runs
    .filter(({ automationUid, state }) => automationUid === current.uid && state === "over")
    .flatMap(({ name }) => world.ledger.last(name) ?? []);
  const kept = stored.filter((run) => isSettled(run) && !isEmptied(run));
  const isFailed = (run: Run): boolean => !isCompleted(run) && !isSkipped(run);
  for (const [what, isOne] of [
    ["completed", isCompleted],
    ["skipped", isSkipped],
    ["failed", isFailed],
  ] as const) {
    const counts = [ended, kept].map((runs) => runs.filter(isOne).length);
    const problem = miscounted(what, counts, model.historyLimit);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function miscounted(what: string, [ended = 0, kept = 0]: readonly number[], limit: number): string | undefined {
  const wanted = Math.min(ended, limit);
  return kept === wanted ? undefined : `${wanted} ${what} Runs of ${ended} are kept, not ${kept}`;
}

/** Pruned already, and there for its idempotency key only. */
function isEmptied({ spec }: Run): boolean {
  return spec.trigger.type === "Webhook" && spec.trigger.payload === undefined;
}
