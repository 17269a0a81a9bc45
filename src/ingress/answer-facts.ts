/** One answered request on the webhook path, for the access log and metrics. */
export interface AnswerFacts {
  deliveryId: string;
  method: string;
  /** 0 = the sender had gone. */
  status: number;
  /** A verdict on a delivery, a refusal's code, or `SenderGone`. */
  outcome: string;
  /** A refusal's cause, where it has one. */
  cause?: string | undefined;
  /** `namespace.name`, where the request had a well-formed one. */
  automation?: string | undefined;
  /** Of the body that was read; the body itself is never logged, nor are keys and query strings. */
  bytes: number;
  durationMs: number;
  /** Where there is one. */
  traceId?: string | undefined;
  /** Of the answers that are our fault. */
  error?: unknown;
}
