import { FrameBudget } from "../../api/runtime/frame-budget.ts";
import type { RefusedFromAgent } from "../../api/runtime/refused-from-agent.ts";
import type { RefusalReason } from "../metrics/refusals.ts";

/** One that has taken its runtime over can raise the count by so much, and no faster. */
export const refusalRate = { burst: 64, perSecond: 1 } as const;

const reasonOf = {
  secondAgent: "AgentImpersonated",
  tooLarge: "AgentTooLarge",
  malformed: "AgentMalformed",
  tooManyConnections: "AgentTooManyConnections",
} as const satisfies Record<keyof RefusedFromAgent, RefusalReason>;

const kinds = Object.keys(reasonOf) as (keyof typeof reasonOf)[];

/** How much of what one attempt's runtime says to have refused is counted. */
export class AgentRefusals {
  readonly #budget: FrameBudget;

  /** `nowMs` is monotonic, here and in {@link take}. */
  constructor(nowMs: number) {
    this.#budget = new FrameBudget(refusalRate, nowMs);
  }

  /** What counts of a report, a reason for each; the rest is left out. */
  take(refused: RefusedFromAgent, nowMs: number): RefusalReason[] {
    const reported = kinds.flatMap((kind) => {
      const length = Math.min(refused[kind] ?? 0, refusalRate.burst);
      return Array.from({ length }, () => reasonOf[kind]);
    });
    const counted: RefusalReason[] = [];
    for (const reason of reported) {
      if (!this.#budget.take(nowMs)) break;
      counted.push(reason);
    }
    return counted;
  }
}
