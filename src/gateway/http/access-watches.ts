import type { Clock, Timer } from "../../lib/clock.ts";
import { apiErrorOf } from "./errors.ts";

/** Milliseconds between two questions of one access; with the time of an answer it is less than a minute. */
export const recheckMs = 55_000;

interface Watched {
  /** What to call at a refusal, for each stream of the access. */
  readonly streams: Set<() => void>;
  timer: Timer;
}

/** Asks whether what streams were opened for is still allowed: once for all streams of the same token, verb and object. */
export class AccessWatches {
  readonly #clock: Clock;
  readonly #watched = new Map<string, Watched>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Calls `refused` at the first refusal until the returned function is called. `access` names token, verb and object; `ask`
   * rejects with an ApiError where it is refused, and an API server that does not answer refuses nothing.
   */
  watch(access: string, ask: () => Promise<void>, refused: () => void): () => void {
    const watched = this.#watched.get(access) ?? this.#begin(access, ask);
    watched.streams.add(refused);
    return () => {
      watched.streams.delete(refused);
      if (watched.streams.size === 0) this.#end(access, watched);
    };
  }

  #begin(access: string, ask: () => Promise<void>): Watched {
    const look = async (): Promise<void> => {
      const answer = await askAccess(ask);
      if (watched.streams.size === 0) return;
      if (answer !== "refused") {
        watched.timer = this.#clock.setTimeout(() => void look(), recheckMs);
        return;
      }
      this.#end(access, watched);
      for (const refused of watched.streams) refused();
    };
    const watched: Watched = { streams: new Set(), timer: this.#clock.setTimeout(() => void look(), recheckMs) };
    this.#watched.set(access, watched);
    return watched;
  }

  #end(access: string, watched: Watched): void {
    watched.timer.cancel();
    if (this.#watched.get(access) === watched) this.#watched.delete(access);
  }
}

/** What came of a question whether an access is allowed still; unknown: too many ask at once, or the API server does not answer. */
export async function askAccess(ask: () => Promise<void>): Promise<"allowed" | "refused" | "unknown"> {
  try {
    await ask();
    return "allowed";
  } catch (error) {
    return [401, 403, 404].includes(apiErrorOf(error).status) ? "refused" : "unknown";
  }
}
