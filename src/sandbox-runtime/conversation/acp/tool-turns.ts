import type { ReplyUpdate } from "./reply.ts";

/** Tool calls whose turn is remembered; updates of earlier ones are of the turn in which they come. */
export const knownCalls = 1_024;

/** In which turn each tool call began, by the agent's own id of it. */
export class ToolTurns<Turn> {
  readonly #turns = new Map<string, Turn>();

  /** The turn that an update is of; `now` is that in which it comes. */
  turnOf(update: ReplyUpdate, now: Turn | undefined): Turn | undefined {
    if (update.sessionUpdate === "agent_message_chunk") return now;
    const { sessionUpdate, toolCallId } = update;
    const begun = this.#turns.get(toolCallId);
    if (sessionUpdate === "tool_call_update" && begun !== undefined) return begun;
    // Some agents number the calls of each turn anew.
    if (now !== undefined) this.#begin(toolCallId, now);
    return now;
  }

  #begin(toolCallId: string, turn: Turn): void {
    this.#turns.delete(toolCallId);
    this.#turns.set(toolCallId, turn);
    const [oldest] = this.#turns.keys();
    if (this.#turns.size > knownCalls && oldest !== undefined) this.#turns.delete(oldest);
  }
}
