import { isTooManyRequests, KubeError } from "../../kube/errors.ts";

/** Codes of the REST API's errors, each with its HTTP status. */
export const statusOf = {
  InvalidRequest: 400,
  NotAWebhook: 400,
  NotSigned: 400,
  NotAnImage: 400,
  ImageNotFound: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  AutomationPaused: 409,
  ConcurrentRunActive: 409,
  RunSkipped: 409,
  KeyExists: 409,
  KeyManagedBySecret: 409,
  RequestConflict: 409,
  Conflict: 409,
  Refused: 409,
  CostLimitReached: 409,
  NoBranch: 409,
  TooManyImages: 409,
  NoRoom: 409,
  PayloadTooLarge: 413,
  UnsupportedMediaType: 415,
  QueueFull: 429,
  TooManyStreams: 429,
  PortClosed: 502,
  SandboxNotConnected: 503,
  SandboxSilent: 504,
  Busy: 503,
  Unavailable: 503,
} as const;
export type ErrorCode = keyof typeof statusOf;

/** Objects that an error concerns, beside its message. */
interface ErrorDetails {
  invocationId?: string | undefined;
  activeInvocationId?: string | undefined;
  promptId?: string | undefined;
}

/** An error that the REST API answers: code and message are for the caller. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return statusOf[this.code];
  }
}

/** Why the API server keeps us from an answer, without its message, which may quote objects that are not the caller's. */
function unavailableBecause(error: unknown): string {
  if (error instanceof KubeError) {
    const { status, reason } = error;
    if (status === 0 && reason === "ConnectionFailed") return "the API server cannot be reached; try again";
    if (status === 0) return "the API server did not answer in time; try again";
    if (isTooManyRequests(error)) return "the API server has too many requests; try again";
    if (status >= 500) return `the API server could not carry out the request (${status}); try again`;
  }
  return "the request could not be carried out; try again";
}

/** What is answered for any error; one that was not meant for callers becomes `Unavailable`, without its message. */
export function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  // The API server's status answers our request, not the caller's.
  const status = error instanceof KubeError ? undefined : parserStatus(error);
  if (status === undefined) return new ApiError("Unavailable", unavailableBecause(error));
  return new ApiError("InvalidRequest", "the request cannot be read");
}

/** The 4xx with which Express marks errors of the client. */
function parserStatus(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null || !("status" in error)) return undefined;
  const { status } = error;
  return typeof status === "number" && status >= 400 && status < 500 ? status : undefined;
}

/** Throws what is answered when the API server rejected a write of a tenant's object; other errors as they are. */
export function failWrite(error: unknown): never {
  if (!(error instanceof KubeError)) throw error;
  const { status, message } = error;
  if (status === 404) throw new ApiError("NotFound", "it is not there any more");
  if (status === 409) throw new ApiError("Conflict", "it was changed at the same time; try again");
  if (status === 403 || status === 422) throw new ApiError("Refused", `the API server refused it: ${message}`);
  throw error;
}
