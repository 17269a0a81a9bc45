/** Why a delivery is not taken. */
export type RefusalCode =
  | "MethodNotAllowed"
  | "UnsupportedMediaType"
  | "PayloadTooLarge"
  | "MissingKey"
  | "NotFound"
  | "WrongKey"
  | "RateLimited"
  | "InvalidPayload"
  | "TooManyUnfinishedRuns"
  | "Throttled"
  | "Unavailable";

export interface RefusalFacts {
  code: RefusalCode;
  /** Said to the sender: what, and the limit where there is one; nothing that the sender did not send. */
  message: string;
  /** One word from a closed set for metrics and logs; the code says enough where it is missing. */
  cause?: string | undefined;
  /** Seconds after which another attempt makes sense. */
  retryAfterSeconds?: number | undefined;
  /** What went wrong underneath, for the log. */
  error?: unknown;
}

/** A delivery that is answered with an error; knows nothing of HTTP. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: RefusalCode;
  readonly why: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor({ code, message, cause, retryAfterSeconds, error }: RefusalFacts) {
    super(message, error === undefined ? undefined : { cause: error });
    this.code = code;
    this.why = cause;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The API server, or our share of it, is not there right now; `cause` tells operators which. */
export function unavailable(cause: string, error?: unknown): Refusal {
  const message = "The delivery could not be stored right now and was not taken; send it again";
  return new Refusal({ code: "Unavailable", message, cause, retryAfterSeconds: 2, error });
}
