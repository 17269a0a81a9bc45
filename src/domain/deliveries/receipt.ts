/** What came of a delivery that was taken. */
export type Verdict = "triggered" | "skipped" | "unmatched" | "paused";

/** A delivery that was taken. */
export interface Accepted {
  verdict: Verdict;
  /** Why, for whoever owns the automation. */
  message: string;
  /** The Run that was stored, or that an earlier delivery of the same event has. */
  runName?: string | undefined;
}

/** The success body, exactly these four fields. */
export interface Receipt {
  ok: true;
  /** Runs started by this delivery: 0 or 1. */
  triggered: number;
  /** Runs not started because the delivery is a duplicate: 0 or 1. */
  skipped: number;
  /** Always 0: a webhook delivery never goes into a session that exists. */
  steered: 0;
}

export function receiptOf(verdict: Verdict): Receipt {
  return { ok: true, triggered: verdict === "triggered" ? 1 : 0, skipped: verdict === "skipped" ? 1 : 0, steered: 0 };
}
