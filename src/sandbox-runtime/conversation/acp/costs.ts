/**
 * Costs of turns in US dollars. Agents report the cost of the whole conversation; the difference to what was reported
 * before is the cost of the turn. The cost of a turn that is not reported is added to the next one.
 */
export class Costs {
  /** Cost of the conversation that is accounted for. */
  #conversation = 0;
  #unreported: number | undefined;

  /** Goes on with a conversation of which this much was reported before; a new one has 0. */
  enterConversation(reported: number): void {
    this.#conversation = reported;
  }

  /** What was reported of the conversation. */
  get reported(): number {
    return Math.max(this.#conversation - (this.#unreported ?? 0), 0);
  }

  /** Adds a turn, after which the whole conversation has cost this much. */
  add(conversation: number): void {
    this.#unreported = (this.#unreported ?? 0) + Math.max(conversation - this.#conversation, 0);
    this.#conversation = conversation;
  }

  /** The cost since the last call; undefined when the agent reported none. */
  takeUnreported(): number | undefined {
    const unreported = this.#unreported;
    this.#unreported = undefined;
    return unreported;
  }
}
