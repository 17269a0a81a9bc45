import type { EventBound, EventsLeftOut } from "../../api/runtime/events-left-out.ts";
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

/** What a session shares with others. */
export interface SharedRoom {
  /** Why there is no room for an event; undefined: there is. */
  full: (isEssential: boolean) => EventsLeftOut | undefined;
  add: (bytes: number) => void;
  /** Counts an event that is not kept. */
  refused: (bound: EventBound) => void;
}

interface Deps {
  /** Left out: nothing. */
  shared?: SharedRoom | undefined;
  /** Called when the first event is left out, and when another limit is the cause, but not again once the session's own was. */
  leftOut: (why: EventsLeftOut) => void;
}

/**
 * Limits the bytes of a session's events, and keeps to what it shares with others. The first event that finds no room is replaced by a
 * note that says why; once there is room again events are kept again.
 */
export class EventQuota {
  #used: number;
  #noted: EventBound | undefined;
  #told: EventBound | undefined;
  readonly #shared: SharedRoom | undefined;
  readonly #leftOut: Deps["leftOut"];

  /** `used`: bytes that the session's events have already. */
  constructor(used: number, { shared, leftOut }: Deps) {
    this.#used = used;
    this.#noted = used >= eventLimits.sessionBytes ? "session" : undefined;
    this.#shared = shared;
    this.#leftOut = leftOut;
  }

  /** Counts bytes that will be stored. */
  add(bytes: number): void {
    this.#used += bytes;
    this.#shared?.add(bytes);
  }

  /** What to store for the event: itself, the note that events are dropped, or nothing. */
  admit(event: Kept): Kept | undefined {
    const isEssential = essential.has(event.kind);
    const found = this.#full(isEssential);
    if (!found) {
      if (!isEssential) this.#noted = undefined;
      return event;
    }
    this.#shared?.refused(found.bound);
    this.#tell(found);
    if (this.#noted === found.bound || this.#noted === "session") return undefined;
    // The note has room where results have.
    if (found.bound !== "session" && this.#shared?.full(true)) return undefined;
    this.#noted = found.bound;
    return { kind: "dropped", message: found.message };
  }

  #tell(why: EventsLeftOut): void {
    if (this.#told === why.bound || this.#told === "session") return;
    this.#told = why.bound;
    this.#leftOut(why);
  }

  #full(isEssential: boolean): ReturnType<SharedRoom["full"]> {
    const { sessionBytes, reserveBytes } = eventLimits;
    if (this.#used >= (isEssential ? sessionBytes + reserveBytes : sessionBytes)) {
      return {
        bound: "session",
        message: `events have reached ${sessionBytes / 1_048_576} MiB, the most of one Session or PrebuiltImage; ${rest}`,
      };
    }
    const shared = this.#shared?.full(isEssential);
    return (
      shared && {
        ...shared,
        message: `${shared.message}; until there is room, only how boots and prompts went is kept`,
      }
    );
  }
}

const rest =
  "from here on only how boots and prompts went is kept: go on in another Session, or have hooks and agent write less";
