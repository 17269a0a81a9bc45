/** Outcome of an accepted delivery. */
export type Verdict = "triggered" | "skipped" | "unmatched" | "paused";

/** A delivery that is answered with 200. */
export interface Accepted {
  verdict: Verdict;
  /** The reason, for the automation's log. */
  message: string;
  /** The stored Run, or the one of an earlier delivery of the same event. */
  runName?: string | undefined;
  /** What the sender wants to read in the answer, too. */
  challenge?: string | undefined;
}

/** The success body, exactly these four fields. */
export interface Receipt {
  ok: true;
  /** Runs started by this delivery: 0 or 1. */
  triggered: number;
  /** Runs not started because the delivery is a duplicate: 0 or 1. */
  skipped: number;
  /** Always 0: a webhook delivery never goes to an existing session. */
  steered: 0;
}

export function receiptOf(verdict: Verdict): Receipt {
  return { ok: true, triggered: verdict === "triggered" ? 1 : 0, skipped: verdict === "skipped" ? 1 : 0, steered: 0 };
}
