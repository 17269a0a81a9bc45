import { AgentRefusals } from "../attempts/agent-refusals.ts";
import type { Attempt } from "../attempts/attempt.ts";
import { ReportRate } from "./report-rate.ts";

/** Progress of one attempt across its connections to this replica. */
export interface Progress {
  /** The highest number whose message was handled. */
  seq: number;
  readonly refusals: AgentRefusals;
  readonly reports: ReportRate;
}

/**
 * Progress of each session's newest attempt. Another replica starts at 0: it handles repeated messages again, which
 * changes nothing that is stored.
 */
export class ProgressOfAttempts {
  readonly #newest = new Map<string, { attempt: number; progress: Progress }>();

  /** `nowMs` is monotonic. */
  of(attempt: Attempt, nowMs: number): Progress {
    const known = this.#newest.get(attempt.sessionUid);
    if (known?.attempt === attempt.attempt) return known.progress;
    const progress = { seq: 0, refusals: new AgentRefusals(nowMs), reports: new ReportRate(nowMs) };
    this.#newest.set(attempt.sessionUid, { attempt: attempt.attempt, progress });
    return progress;
  }

  /** Forgets a deleted session. */
  forget(sessionUid: string): void {
    this.#newest.delete(sessionUid);
  }
}
