/** Why a delivery is refused. */
export type RefusalCode =
  | "MethodNotAllowed"
  | "UnsupportedMediaType"
  | "PayloadTooLarge"
  | "MissingKey"
  | "NotFound"
  | "WrongKey"
  | "Stale"
  | "WrongWorkspace"
  | "RateLimited"
  | "InvalidPayload"
  | "TooManyUnfinishedRuns"
  | "Throttled"
  | "Unavailable";

export interface RefusalFacts {
  code: RefusalCode;
  /** For the sender: the problem, with the limit where there is one; reveals nothing that the sender did not send. */
  message: string;
  /** One of a closed set, for metrics and logs; absent where the code says enough. */
  cause?: string | undefined;
  /** Seconds after which a retry makes sense. */
  retryAfterSeconds?: number | undefined;
  /** How to prove whose a request is, as an HTTP challenge; absent: as the path usually asks for. */
  challenge?: string | undefined;
  /** The underlying error, for the log. */
  error?: unknown;
}

/**
 * The error of the ingress: a delivery that is refused. It knows nothing of HTTP. It has no stack: no one reads it, and it
 * took 9 of the 10 µs that making a Refusal took. An underlying error keeps its own.
 */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: RefusalCode;
  readonly why: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly challenge: string | undefined;

  constructor({ code, message, cause, retryAfterSeconds, challenge, error }: RefusalFacts) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, error === undefined ? undefined : { cause: error });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.why = cause;
    this.retryAfterSeconds = retryAfterSeconds;
    this.challenge = challenge;
  }
}

/** The refusal for a temporary failure; `cause` tells operators which. */
export function unavailable(cause: string, error?: unknown): Refusal {
  const message = "The delivery could not be stored right now and was not taken; send it again";
  return new Refusal({ code: "Unavailable", message, cause, retryAfterSeconds: 2, error });
}
