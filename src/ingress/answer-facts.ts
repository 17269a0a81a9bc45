/** One answered request on the webhook path, for the access log and metrics. */
export interface AnswerFacts {
  deliveryId: string;
  method: string;
  /** HTTP status; 0 = the sender closed the connection before its request was complete. */
  status: number;
  /** A verdict on a delivery, a refusal's code, or `SenderGone`. */
  outcome: string;
  /** A refusal's cause, where it has one. */
  cause?: string | undefined;
  /** `namespace.name`, where the request had a well-formed one. */
  automation?: string | undefined;
  /** Length of the body that was read. The body itself is never logged, nor are keys and query strings. */
  bytes: number;
  durationMs: number;
  /** Absent where traces are not wanted. */
  traceId?: string | undefined;
  /** The cause of a 5xx answer. */
  error?: unknown;
}
