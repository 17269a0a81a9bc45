import type { NumberedMessage, RuntimeMessage } from "../../src/api/runtime/messages.ts";
import { amountText, greaterAmount, isAtOrOver, sumOfAmounts } from "../../src/domain/costs/amount.ts";
import type { Session } from "../../src/api/v1alpha1/session.ts";
import type { Speaker } from "./relay.ts";

/** What sandboxes have cost, as their runtimes said it; of each sandbox the highest reading counts. */
export class Costs {
  readonly #said = new Readings();
  readonly #acknowledged = new Readings();

  said(speaker: Speaker, message: RuntimeMessage): void {
    if (message.type === "usage") this.#said.take(speaker, message.costUsd);
    if (message.type === "promptFinished") this.#said.take(speaker, message.outcome.usage?.sandboxCostUsd);
  }

  acknowledged(speaker: Speaker, message: NumberedMessage): void {
    if (message.type === "promptFinished") this.#acknowledged.take(speaker, message.outcome.usage?.sandboxCostUsd);
  }

  /** Each Session whose cost lacks what was acknowledged, or has more than was ever said. */
  violations(sessions: readonly Session[]): string[] {
    return sessions.flatMap(({ metadata: { name = "", uid = "" }, status }) => {
      const costUsd = status?.costUsd ?? "0";
      const [least, most] = [this.#acknowledged.sumOf(uid), this.#said.sumOf(uid)];
      if (isAtOrOver(costUsd, least) && isAtOrOver(most, costUsd)) return [];
      return [`session ${name} has cost ${costUsd} USD; ${least} were acknowledged and ${most} said`];
    });
  }

  /** Of all sessions, in US dollars. */
  get sums(): { acknowledgedUsd: string; saidUsd: string } {
    return { acknowledgedUsd: this.#acknowledged.sumOf(), saidUsd: this.#said.sumOf() };
  }
}

/** The highest reading of each sandbox. */
class Readings {
  /** By attempt, by session UID. */
  readonly #sessions = new Map<string, Map<number, string>>();

  take({ sessionUid, attempt }: Speaker, costUsd: number | undefined): void {
    if (costUsd === undefined) return;
    const attempts = this.#sessions.get(sessionUid) ?? new Map<number, string>();
    attempts.set(attempt, greaterAmount(attempts.get(attempt) ?? "0", amountText(costUsd)));
    this.#sessions.set(sessionUid, attempts);
  }

  sumOf(sessionUid?: string): string {
    const sessions = sessionUid === undefined ? [...this.#sessions.values()] : [this.#sessions.get(sessionUid)];
    return sumOfAmounts(sessions.flatMap((attempts) => [...(attempts?.values() ?? [])]));
  }
}
