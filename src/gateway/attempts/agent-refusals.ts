import { FrameBudget } from "../../api/runtime/frame-budget.ts";
import type { RefusedFromAgent } from "../../api/runtime/refused-from-agent.ts";
import type { RefusalReason } from "../metrics/refusals.ts";

/** Limits how fast a compromised runtime can raise the count. */
export const refusalRate = { burst: 64, perSecond: 1 } as const;

const reasonOf = {
  secondAgent: "AgentImpersonated",
  tooLarge: "AgentTooLarge",
  malformed: "AgentMalformed",
  tooManyConnections: "AgentTooManyConnections",
  usage: "AgentUsageInvalid",
  credential: "AgentCredentialForeign",
  signature: "AgentSignatureForeign",
  archive: "AgentArchiveRefused",
} as const satisfies Record<keyof RefusedFromAgent, RefusalReason>;

const kinds = Object.keys(reasonOf) as (keyof typeof reasonOf)[];

/** Limits how many refusals are counted that the runtime of one attempt reports. */
export class AgentRefusals {
  readonly #budget: FrameBudget;

  /** `nowMs` is monotonic, here and in {@link take}. */
  constructor(nowMs: number) {
    this.#budget = new FrameBudget(refusalRate, nowMs);
  }

  /** The reasons to count for a report; those beyond the rate are left out. */
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
