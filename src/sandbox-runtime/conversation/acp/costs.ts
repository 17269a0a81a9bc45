/**
 * What turns have cost in US dollars. Agents say what the whole conversation has come to; each amount is told once, with
 * the next turn whose end is told.
 */
export class Costs {
  /** Of the conversation, as far as it is accounted for. */
  #conversation = 0;
  #untold: number | undefined;

  /** Another conversation counts from 0. */
  beginAnew(): void {
    this.#conversation = 0;
  }

  /** Takes what the conversation has come to by the end of a turn. */
  add(conversation: number): void {
    this.#untold = (this.#untold ?? 0) + Math.max(conversation - this.#conversation, 0);
    this.#conversation = conversation;
  }

  /** What has not been told yet; undefined where nobody said anything. */
  tell(): number | undefined {
    const untold = this.#untold;
    this.#untold = undefined;
    return untold;
  }
}
