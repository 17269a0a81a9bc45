import type { SessionEvent } from "../../api/runtime/session-event.ts";
import { eventLimits } from "./limits.ts";

type Kept = SessionEvent["event"];

/** Of these there are few, and they say how boots and prompts went. */
const essential: ReadonlySet<Kept["kind"]> = new Set(["ready", "bootFailed", "promptStarted", "promptFinished"]);

/** Decides which events of a session still find room; the first that does not is replaced by word of it. */
export class EventQuota {
  #used: number;
  #hasSaid: boolean;

  /** `used`: what the session's events weigh already. */
  constructor(used: number) {
    this.#used = used;
    this.#hasSaid = used >= eventLimits.sessionBytes;
  }

  /** Counts what will be stored. */
  add(bytes: number): void {
    this.#used += bytes;
  }

  /** What to store in the event's place: itself, word that events are dropped, or nothing. */
  admit(event: Kept): Kept | undefined {
    const { sessionBytes, reserveBytes } = eventLimits;
    const room = essential.has(event.kind) ? sessionBytes + reserveBytes : sessionBytes;
    if (this.#used < room) return event;
    if (this.#hasSaid) return undefined;
    this.#hasSaid = true;
    const size = `${sessionBytes / 1_048_576} MiB`;
    const message = `the session's events have reached ${size}; from here on only how boots and prompts went is kept`;
    return { kind: "dropped", message };
  }
}
