import { AgentRefusals } from "../attempts/agent-refusals.ts";
import type { Attempt } from "../attempts/attempt.ts";

/** What this replica knows of one attempt across its connections. */
export interface Progress {
  /** The highest number whose message was dealt with. */
  seq: number;
  readonly refusals: AgentRefusals;
}

/**
 * How far each attempt's numbered messages have come, across its connections to this replica. Another replica starts at
 * 0: what it is sent again it deals with again, which changes nothing that is stored.
 */
export class ProgressOfAttempts {
  readonly #newest = new Map<string, { attempt: number; progress: Progress }>();

  /** `nowMs` is monotonic. */
  of(attempt: Attempt, nowMs: number): Progress {
    const known = this.#newest.get(attempt.sessionUid);
    if (known?.attempt === attempt.attempt) return known.progress;
    const progress = { seq: 0, refusals: new AgentRefusals(nowMs) };
    this.#newest.set(attempt.sessionUid, { attempt: attempt.attempt, progress });
    return progress;
  }

  /** Forgets a session that is gone. */
  forget(sessionUid: string): void {
    this.#newest.delete(sessionUid);
  }
}
