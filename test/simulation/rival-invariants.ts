import { conditionTypes, reasons, type Run } from "../../src/api/v1alpha1/index.ts";
import { findCondition } from "../../src/domain/conditions.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { rival } from "./places.ts";

/** Milliseconds by which what a process knows may be behind. */
const lagMs = 600_000;

/** What must be so of one tenant whatever another one writes into objects of his own. */
export class RivalInvariants {
  readonly #clock: Pick<Clock, "monotonicMs">;
  /** Until when each Run was unfinished, by namespace and name of its Automation, then by its own UID. */
  readonly #unfinished = new Map<string, Map<string, number>>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** A Run begins for an Automation of its own namespace, and is skipped for another Run of that alone. @throws Error */
  changed(before: Run | undefined, after: Run | undefined): void {
    const run = after ?? before;
    if (!run) return;
    const { namespace = "", name = "", uid = "" } = run.metadata;
    // The rival has no Automations.
    if (namespace === rival && after?.status?.startTime !== undefined) throw new Error(`the rival's Run ${name} began`);
    const automation = `${namespace}/${run.spec.automationRef.name}`;
    const nowMs = this.#clock.monotonicMs();
    const unfinished = this.#unfinished.get(automation) ?? new Map<string, number>();
    this.#unfinished.set(automation, unfinished);
    if (after && !hasEnded(after)) unfinished.set(uid, Infinity);
    else if (before && !hasEnded(before)) unfinished.set(uid, nowMs);
    if (!after || !isSkippedForAnother(after) || (before && isSkippedForAnother(before))) return;
    const others = [...unfinished].filter(([other, untilMs]) => other !== uid && nowMs - untilMs < lagMs);
    if (others.length === 0) throw new Error(`Run ${name} was skipped for another Run, and ${automation} has none`);
  }
}

function hasEnded({ status }: Run): boolean {
  return status?.completionTime !== undefined;
}

function isSkippedForAnother({ status }: Run): boolean {
  return findCondition(status?.conditions, conditionTypes.stalled)?.reason === reasons.concurrentRunActive;
}
