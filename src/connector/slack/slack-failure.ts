import { ErrorCode, type WebAPICallError } from "@slack/web-api";

import { ProviderError, type ProviderFailure } from "../provider-error.ts";
import { scopesIn } from "./missing-scopes.ts";

/** Codes of Slack's; all others mean that the same call fails again. */
const failures: Partial<Record<string, ProviderFailure>> = {
  not_authed: "credentials",
  invalid_auth: "credentials",
  account_inactive: "credentials",
  token_revoked: "credentials",
  token_expired: "credentials",
  org_login_required: "credentials",
  ratelimited: "throttled",
  internal_error: "unavailable",
  fatal_error: "unavailable",
  service_unavailable: "unavailable",
  request_timeout: "unavailable",
};

/** A failed call in our terms; neither a body nor a token is in it. */
export function slackFailure(method: string, error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  if (!isCallError(error)) return new ProviderError("unavailable", `Slack gave no usable answer to ${method}`);
  switch (error.code) {
    case ErrorCode.RateLimitedError: {
      const retryAfterMs = error.retryAfter * 1_000;
      return new ProviderError("throttled", `Slack wants fewer calls of ${method}`, { retryAfterMs });
    }
    case ErrorCode.HTTPError:
      return new ProviderError(
        failureOf(error.statusCode),
        `Slack answered ${method} with ${String(error.statusCode)}`,
      );
    case ErrorCode.PlatformError:
      return platformFailure(method, error.data);
    case ErrorCode.RequestError:
      // The library wraps what reading an answer throws.
      if (error.original instanceof ProviderError) return error.original;
      return new ProviderError("unavailable", `Slack gave no answer to ${method}, or the connection broke`);
  }
}

/** An answer `ok: false`; of what is no JSON the library makes its whole body the code. */
function platformFailure(method: string, { error: code, needed }: { error: string; needed?: unknown }): ProviderError {
  if (!/^[a-z_]{1,64}$/.test(code)) {
    return new ProviderError("unavailable", `Slack's answer to ${method} is not as documented`);
  }
  const neededScopes = code === "missing_scope" ? scopesIn(needed) : [];
  const why = neededScopes.length === 0 ? code : `${code}, which is ${neededScopes.join(" or ")}`;
  return new ProviderError(failures[code] ?? "refused", `Slack refused ${method}: ${why}`, { code, neededScopes });
}

function failureOf(status: number): ProviderFailure {
  if (status === 429) return "throttled";
  return status >= 400 && status < 500 ? "refused" : "unavailable";
}

function isCallError(error: unknown): error is WebAPICallError {
  const codes: readonly unknown[] = [
    ErrorCode.RateLimitedError,
    ErrorCode.HTTPError,
    ErrorCode.PlatformError,
    ErrorCode.RequestError,
  ];
  return error instanceof Error && codes.includes((error as { code?: unknown }).code);
}
