import { AgentRefusals } from "../attempts/agent-refusals.ts";
import type { Attempt } from "../attempts/attempt.ts";
import { AttemptFrames } from "./attempt-frames.ts";
import { ReportRate } from "./report-rate.ts";

/** Progress of one attempt across its connections to this replica. */
export interface Progress {
  /** The highest number whose message was handled. */
  seq: number;
  readonly refusals: AgentRefusals;
  readonly reports: ReportRate;
  readonly frames: AttemptFrames;
}

/** That of an attempt which has not been heard yet; `nowMs` is monotonic. */
export function newProgress(nowMs: number): Progress {
  return {
    seq: 0,
    refusals: new AgentRefusals(nowMs),
    reports: new ReportRate(nowMs),
    frames: new AttemptFrames(nowMs),
  };
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
    const progress = newProgress(nowMs);
    this.#newest.set(attempt.sessionUid, { attempt: attempt.attempt, progress });
    return progress;
  }

  /** Forgets a deleted session. */
  forget(sessionUid: string): void {
    this.#newest.delete(sessionUid);
  }
}
