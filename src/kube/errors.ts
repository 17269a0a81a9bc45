/**
 * What is known of a request that brought no usable answer: `received` = the server answered, `lost` = it was sent and
 * may have been carried out, `unsent` = not a byte of it left, so nothing happened.
 */
export type Delivery = "received" | "lost" | "unsent";

/** One cause of a refusal as the API server lists it. */
export interface StatusCause {
  reason?: string;
  message?: string;
  /** Path of the refused field, such as `spec.targets[1]`. */
  field?: string;
}

export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: readonly StatusCause[];
  retryAfterSeconds?: number;
}

export interface KubeErrorFacts {
  message: string;
  /** HTTP status; 0 when there was no answer. */
  status: number;
  /** The server's reason such as `NotFound`; `Timeout`, `Aborted`, `ConnectionFailed` or `ClientClosed` without an answer. */
  reason: string;
  delivery: Delivery;
  retryAfterSeconds?: number | undefined;
  details?: StatusDetails | undefined;
  cause?: unknown;
}

/** Every failed request to the API server, answered or not. Its message names verb and object, never a body. */
export class KubeError extends Error {
  override readonly name = "KubeError";
  readonly status: number;
  readonly reason: string;
  readonly delivery: Delivery;
  readonly retryAfterSeconds: number | undefined;
  readonly details: StatusDetails | undefined;

  constructor(facts: KubeErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.status = facts.status;
    this.reason = facts.reason;
    this.delivery = facts.delivery;
    this.retryAfterSeconds = facts.retryAfterSeconds;
    this.details = facts.details;
  }
}

/** The error of a decision that rests on what the API server has otherwise by now: the next pass decides anew. */
export function conflict(message: string, cause?: unknown): KubeError {
  return new KubeError({ message, status: 409, reason: "Conflict", delivery: "received", cause });
}

function hasStatus(error: unknown, status: number): error is KubeError {
  return error instanceof KubeError && error.status === status;
}

export function isNotFound(error: unknown): error is KubeError {
  return hasStatus(error, 404);
}

/** A 409 because the stored object is newer than the one decided on, or a precondition did not hold. */
export function isConflict(error: unknown): error is KubeError {
  return hasStatus(error, 409) && error.reason !== "AlreadyExists";
}

/** A 409 of a create: the name is taken. */
export function isAlreadyExists(error: unknown): error is KubeError {
  return hasStatus(error, 409) && error.reason === "AlreadyExists";
}

export function isForbidden(error: unknown): error is KubeError {
  return hasStatus(error, 403);
}

/** A 422: schema, CEL rule or admission policy refused the object; `details.causes` name the fields. */
export function isInvalid(error: unknown): error is KubeError {
  return hasStatus(error, 422);
}

/**
 * A 400, 403 or 422: a schema, a policy, a webhook or a quota refused the object. The API server asks them before it looks
 * whether the name of a create is taken, so an object of that name may be there.
 */
export function isRefused(error: unknown): error is KubeError {
  return hasStatus(error, 400) || isForbidden(error) || isInvalid(error);
}

/** A 410: the resource version or the page is too old. */
export function isGone(error: unknown): error is KubeError {
  return hasStatus(error, 410);
}

export function isTooManyRequests(error: unknown): error is KubeError {
  return hasStatus(error, 429);
}

/** Milliseconds of the Retry-After of a 429; 0 without one. */
export function askedDelayMs(error: unknown): number {
  return isTooManyRequests(error) ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
}

/** The caller's own signal ended the request. */
export function isAborted(error: unknown): error is KubeError {
  return error instanceof KubeError && error.reason === "Aborted";
}

/** May pass by itself: no answer, too many requests or an error of the server. */
export function isTransient(error: unknown): error is KubeError {
  if (!(error instanceof KubeError) || error.reason === "Aborted") return false;
  return error.status === 0 || error.status === 429 || error.status >= 500;
}

/**
 * The request was sent and its answer never came: it may or may not have been carried out. A create repeated after this
 * that answers *already exists* may have met its own first attempt.
 */
export function isUnanswered(error: unknown): error is KubeError {
  return error instanceof KubeError && error.delivery === "lost";
}

/** Nothing was sent, so nothing happened and a repeat is safe. */
export function isUnsent(error: unknown): error is KubeError {
  return error instanceof KubeError && error.delivery === "unsent";
}
