import type { SessionEvent } from "../../api/runtime/session-event.ts";
import { eventLimits } from "./limits.ts";

type Kept = SessionEvent["event"];

/** Kept beyond the limit: they are few and hold the results of boots and prompts. */
const essential: ReadonlySet<Kept["kind"]> = new Set([
  "ready",
  "built",
  "bootFailed",
  "promptStarted",
  "promptFinished",
]);

/** Limits the bytes of a session's events. The first event beyond the limit is replaced by a note that events are dropped. */
export class EventQuota {
  #used: number;
  #hasNoted: boolean;

  /** `used`: bytes that the session's events have already. */
  constructor(used: number) {
    this.#used = used;
    this.#hasNoted = used >= eventLimits.sessionBytes;
  }

  /** Counts bytes that will be stored. */
  add(bytes: number): void {
    this.#used += bytes;
  }

  /** What to store for the event: itself, the note that events are dropped, or nothing. */
  admit(event: Kept): Kept | undefined {
    const { sessionBytes, reserveBytes } = eventLimits;
    const room = essential.has(event.kind) ? sessionBytes + reserveBytes : sessionBytes;
    if (this.#used < room) return event;
    if (this.#hasNoted) return undefined;
    this.#hasNoted = true;
    const size = `${sessionBytes / 1_048_576} MiB`;
    const message = `the session's events have reached ${size}; from here on only how boots and prompts went is kept`;
    return { kind: "dropped", message };
  }
}
