import { FrameBudget } from "../../api/runtime/frame-budget.ts";
import { protocolLimits } from "../../api/runtime/limits.ts";
import type { NumberedMessage } from "../../api/runtime/messages.ts";

/** A numbered message before it has its number. */
export type Unnumbered = NumberedMessage extends infer M ? (M extends NumberedMessage ? Omit<M, "seq"> : never) : never;

/** Places that events may not take, in messages. */
const reserved = 32;

/**
 * Numbered messages that wait for the gateway's acknowledgement, oldest first, in bounded number. Events are dropped when
 * it is full or they come too fast, and an event says how many. A report always finds a place: it replaces the oldest event, or else the oldest report.
 * That one has had its effect, as the gateway processes reports in order; only its record is lost.
 */
export class Outbox {
  #waiting: NumberedMessage[] = [];
  #lastSeq = 0;
  #dropped = 0;
  /** Dropped, and not yet said to be. */
  #untold = 0;
  readonly #budget: FrameBudget;

  /** `nowMs` is monotonic, here and in {@link add}. */
  constructor(nowMs: number) {
    this.#budget = new FrameBudget(protocolLimits.events, nowMs);
  }

  /** Numbers and keeps a message; none when it is an event and was dropped, which the next message says before itself. */
  add(message: Unnumbered, nowMs: number): NumberedMessage[] {
    if (message.type === "event" && !this.#hasPlaceForEvent(nowMs)) {
      this.#dropped += 1;
      this.#untold += 1;
      return [];
    }
    const told = this.#untold > 0 && this.#hasPlaceForEvent(nowMs) ? [this.#keep(droppedEvents(this.#untold))] : [];
    if (told.length > 0) this.#untold = 0;
    if (this.#waiting.length >= protocolLimits.unacknowledged) this.#makePlace();
    return [...told, this.#keep(message)];
  }

  #keep(message: Unnumbered): NumberedMessage {
    this.#lastSeq += 1;
    const numbered = { ...message, seq: this.#lastSeq };
    this.#waiting.push(numbered);
    return numbered;
  }

  #hasPlaceForEvent(nowMs: number): boolean {
    return this.#waiting.length < protocolLimits.unacknowledged - reserved && this.#budget.take(nowMs);
  }

  #makePlace(): void {
    const event = this.#waiting.findIndex(({ type }) => type === "event");
    this.#waiting.splice(Math.max(event, 0), 1);
    this.#dropped += 1;
  }

  /** Forgets all messages up to this number; a number that was never given is the peer's error and ignored. */
  acknowledge(seq: number): void {
    if (seq <= this.#lastSeq) this.#waiting = this.#waiting.filter((message) => message.seq > seq);
  }

  get waiting(): readonly NumberedMessage[] {
    return this.#waiting;
  }

  /** How many messages, nearly always events, were dropped so far. */
  get dropped(): number {
    return this.#dropped;
  }
}

function droppedEvents(count: number): Unnumbered {
  const message = `${count} events are not shown here: they came faster than the gateway takes them`;
  return { type: "event", event: { kind: "warning", scope: "output", message } };
}
