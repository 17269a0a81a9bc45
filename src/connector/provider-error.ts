/**
 * How a call of a provider's failed: `credentials` are refused; `throttled` until later; `unavailable` = no usable answer, so the call
 * may or may not have been carried out; `refused` = the same call fails again.
 */
export type ProviderFailure = "credentials" | "throttled" | "unavailable" | "refused";

/** Milliseconds for which a provider is waited for at its own word, at most: a day. Instants that are far away are no dates. */
const longestWaitMs = 86_400_000;

interface ProviderErrorDetails {
  retryAfterMs?: number | undefined;
  code?: string;
  needsAuthorization?: boolean;
  neededScopes?: readonly string[];
  cause?: unknown;
}

/** A failed call; its message holds neither a token nor a body. */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly failure: ProviderFailure;
  /** Milliseconds after which the provider takes calls again, where it said so; at most a day. */
  readonly retryAfterMs: number | undefined;
  /** The provider's own code of the failure, where it gave one. */
  readonly code: string | undefined;
  /** Whether credentials are refused though they are right: a person has to authorize the application again. */
  readonly needsAuthorization: boolean;
  /** Scopes that the call needs, where it was refused as the application lacks one. */
  readonly neededScopes: readonly string[];

  constructor(
    failure: ProviderFailure,
    message: string,
    { retryAfterMs, code, needsAuthorization = false, neededScopes = [], cause }: ProviderErrorDetails = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.failure = failure;
    this.retryAfterMs = retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, longestWaitMs);
    this.code = code;
    this.needsAuthorization = needsAuthorization;
    this.neededScopes = neededScopes;
  }
}
