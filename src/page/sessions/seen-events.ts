import { type EventPosition, isAfter, positionText } from "../../api/runtime/event-position.ts";
import type { SessionEvent } from "../api.ts";

/**
 * Leaves out of each part of a timeline what another one had. An earlier sandbox's events may be stored late: they come in the
 * stream then, and in an older part that is read afterwards.
 */
export class SeenEvents {
  #newest: EventPosition = { attempt: 0, seq: 0 };
  /** Positions of events that came late. */
  readonly #late = new Set<string>();
  /** The newest event of each attempt that an older part had. */
  readonly #olderTo = new Map<number, number>();

  /** Of events as the stream sends them, those that no older part had. */
  ofStream(events: readonly SessionEvent[]): SessionEvent[] {
    return events.filter((event) => {
      const { attempt, seq } = event;
      if (isAfter(event, this.#newest)) {
        this.#newest = { attempt, seq };
        return true;
      }
      this.#late.add(positionText(event));
      return seq > (this.#olderTo.get(attempt) ?? 0);
    });
  }

  /** Of the events of an older part, those that have not come late before. */
  ofOlderPart(events: readonly SessionEvent[]): SessionEvent[] {
    for (const { attempt, seq } of events) {
      this.#olderTo.set(attempt, Math.max(seq, this.#olderTo.get(attempt) ?? 0));
    }
    return events.filter((event) => !this.#late.has(positionText(event)));
  }
}
