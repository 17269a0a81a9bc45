import { FrameBudget } from "../../api/runtime/frame-budget.ts";
import { protocolLimits } from "../../api/runtime/limits.ts";
import type { NumberedMessage } from "../../api/runtime/messages.ts";

/** A numbered message before it has its number. */
export type Unnumbered = NumberedMessage extends infer M ? (M extends NumberedMessage ? Omit<M, "seq"> : never) : never;

/** Places that are kept free for what must not be lost. */
const reserved = 32;

/**
 * Numbered messages that the gateway has not acknowledged, oldest first; never more than it takes. Events are dropped when
 * it is full or they come too fast. A report always finds a place: the oldest event gives way, and where there is none the
 * oldest report, whose effect the gateway has had, as it deals with one after the other; what is lost is its record.
 */
export class Outbox {
  #waiting: NumberedMessage[] = [];
  #lastSeq = 0;
  #dropped = 0;
  readonly #budget: FrameBudget;

  /** `nowMs` is monotonic, here and in {@link add}. */
  constructor(nowMs: number) {
    this.#budget = new FrameBudget(protocolLimits.events, nowMs);
  }

  /** Numbers and keeps a message; undefined when it was an event that there is no place for. */
  add(message: Unnumbered, nowMs: number): NumberedMessage | undefined {
    if (message.type === "event" && !this.#hasPlace(nowMs)) {
      this.#dropped += 1;
      return undefined;
    }
    if (this.#waiting.length >= protocolLimits.unacknowledged) this.#giveWay();
    this.#lastSeq += 1;
    const numbered = { ...message, seq: this.#lastSeq };
    this.#waiting.push(numbered);
    return numbered;
  }

  #hasPlace(nowMs: number): boolean {
    return this.#waiting.length < protocolLimits.unacknowledged - reserved && this.#budget.take(nowMs);
  }

  #giveWay(): void {
    const event = this.#waiting.findIndex(({ type }) => type === "event");
    this.#waiting.splice(Math.max(event, 0), 1);
    this.#dropped += 1;
  }

  /** Forgets all messages up to this number; one that was never given is the peer's mistake and forgets nothing. */
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
