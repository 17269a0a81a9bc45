import { type GitHubAnswer, isGitHubRateLimit, isHourSpent } from "../../domain/integrations/github-rate-limit.ts";
import type { Clock } from "../../lib/clock.ts";
import { SigningError } from "../../lib/rsa-signer.ts";
import { ProviderError, type ProviderFailure } from "../provider-error.ts";
import { retryAfterMs } from "../retry-after.ts";

type Answer = Required<GitHubAnswer> & { headers: NonNullable<GitHubAnswer["headers"]> };

/** Milliseconds until the next call after a limit that names no time: the least that GitHub asks for. */
const usualWaitMs = 60_000;

/** A failed call in our terms; neither a body nor a token is in it. */
export function githubFailure(operation: string, error: unknown, clock: Pick<Clock, "now">): ProviderError {
  if (error instanceof ProviderError) return error;
  // The library wraps what reading an answer throws.
  if (error instanceof Error && error.cause instanceof ProviderError) return error.cause;
  if (error instanceof SigningError) return new ProviderError("credentials", `The App's key: ${error.message}`);
  const answer = answerOf(error);
  if (!answer) {
    return new ProviderError("unavailable", `GitHub gave no usable answer to ${operation}, or the connection broke`);
  }
  const said = `GitHub answered ${operation} with ${String(answer.status)}`;
  return new ProviderError(failureOf(answer), said, { retryAfterMs: waitMsOf(answer, clock.now()) });
}

/** The answer that an error of the library's stands for; undefined where there was none. */
function answerOf(error: unknown): Answer | undefined {
  const { response } = error as { response?: Partial<Answer> };
  if (response?.status === undefined) return undefined;
  return { status: response.status, headers: response.headers ?? {}, data: response.data };
}

function failureOf(answer: Answer): ProviderFailure {
  const { status } = answer;
  if (status === 401) return "credentials";
  if (isGitHubRateLimit(answer)) return "throttled";
  return status >= 400 && status < 500 ? "refused" : "unavailable";
}

/** `Retry-After` in seconds, or the second at which the requests of an hour begin anew; that is of no other limit. */
function waitMsOf(answer: Answer, now: Date): number | undefined {
  const { headers } = answer;
  const asked = retryAfterMs(headers["retry-after"]);
  if (asked !== undefined || !isGitHubRateLimit(answer)) return asked;
  const resetSeconds = Number(headers["x-ratelimit-reset"] ?? Number.NaN);
  if (!isHourSpent(headers) || !Number.isFinite(resetSeconds)) return usualWaitMs;
  return Math.max(0, resetSeconds * 1_000 - now.getTime());
}
