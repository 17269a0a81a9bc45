import type { Attempt } from "./attempt.ts";

/** The highest number of one attempt whose message was dealt with by this replica. */
export interface Progress {
  seq: number;
}

/**
 * How far each attempt's numbered messages have come, across its connections to this replica. Another replica starts at
 * 0: what it is sent again it deals with again, which changes nothing that is stored.
 */
export class ProgressOfAttempts {
  readonly #newest = new Map<string, { attempt: number; progress: Progress }>();

  of(attempt: Attempt): Progress {
    const known = this.#newest.get(attempt.sessionUid);
    if (known?.attempt === attempt.attempt) return known.progress;
    const progress = { seq: 0 };
    this.#newest.set(attempt.sessionUid, { attempt: attempt.attempt, progress });
    return progress;
  }

  /** Forgets a session that is gone. */
  forget(sessionUid: string): void {
    this.#newest.delete(sessionUid);
  }
}
