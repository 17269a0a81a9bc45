import { z } from "zod";

import type { Clock } from "../../lib/clock.ts";
import { readAnswer } from "../answer-text.ts";
import { ProviderError, type ProviderFailure } from "../provider-error.ts";
import { retryAfterMs } from "../retry-after.ts";

/** Milliseconds for a whole call. */
const callMs = 8_000;

export interface HttpCall {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export interface HttpAnswer {
  status: number;
  /** Undefined where it is no JSON. */
  json: unknown;
  retryAfterMs: number | undefined;
}

export interface HttpDeps {
  clock: Clock;
}

/**
 * Posts to Linear and reads the answer. Redirects are not followed, so that a token goes to the configured server alone.
 * @throws ProviderError `unavailable`
 */
export async function post({ clock }: HttpDeps, { url, headers, body }: HttpCall): Promise<HttpAnswer> {
  const abort = new AbortController();
  const timer = clock.setTimeout(() => abort.abort(), callMs);
  try {
    const response = await fetch(url, { method: "POST", redirect: "manual", headers, body, signal: abort.signal });
    const text = await readAnswer(response);
    return { status: response.status, json: parse(text), retryAfterMs: waitMsOf(response.headers, clock.now()) };
  } catch (cause) {
    if (cause instanceof ProviderError) throw cause;
    const what = abort.signal.aborted ? `no answer within ${callMs / 1_000} s` : "no connection, or it broke";
    throw new ProviderError("unavailable", `Linear gave ${what}`, { cause });
  } finally {
    timer.cancel();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** `Retry-After` in seconds, or Linear's own headers with the instant in milliseconds at which its limits are reset. */
function waitMsOf(headers: Headers, now: Date): number | undefined {
  const asked = retryAfterMs(headers.get("retry-after"));
  if (asked !== undefined) return asked;
  const resets = ["x-ratelimit-requests-reset", "x-ratelimit-complexity-reset"]
    .map((name) => Number(headers.get(name) ?? Number.NaN))
    .filter(Number.isFinite);
  return resets.length === 0 ? undefined : Math.max(0, Math.max(...resets) - now.getTime());
}

const GraphQlErrors = z.object({
  errors: z.array(
    z.object({
      message: z.string().nullish(),
      extensions: z.object({ code: z.string().nullish(), type: z.string().nullish() }).nullish(),
    }),
  ),
});

/** The error for an answer that is none of 200 with data; undefined where it has data. */
export function failureOf({ status, json, retryAfterMs }: HttpAnswer, operation: string): ProviderError | undefined {
  const code = errorCodeOf(json);
  const answered = `Linear answered ${operation} with ${String(status)}${code === undefined ? "" : ` (${code})`}`;
  const scope = missingScopeOf(json);
  if (scope !== undefined) {
    return new ProviderError("credentials", `${answered}: ${scope}`, { needsAuthorization: true });
  }
  const failure = failureByCode[code ?? ""] ?? failureByStatus(status);
  if (failure) return new ProviderError(failure, answered, { retryAfterMs });
  if (code !== undefined) return new ProviderError("refused", answered);
  if (typeof json === "object" && json !== null) return undefined;
  return new ProviderError("unavailable", `${answered}, and the body is no JSON object`);
}

const failureByCode: Partial<Record<string, ProviderFailure>> = {
  RATELIMITED: "throttled",
  AUTHENTICATION_ERROR: "credentials",
  INTERNAL_SERVER_ERROR: "unavailable",
  INTERNAL_ERROR: "unavailable",
  LOCK_TIMEOUT: "unavailable",
};

/** Redirects are not followed. */
function failureByStatus(status: number): ProviderFailure | undefined {
  if (status === 200) return undefined;
  if (status === 429) return "throttled";
  if (status === 401) return "credentials";
  return status >= 500 || status < 400 ? "unavailable" : "refused";
}

/** What the application lacks where that is a scope, which Linear says in a message alone: its code is that of all that is forbidden. */
function missingScopeOf(json: unknown): string | undefined {
  const [first] = GraphQlErrors.safeParse(json).data?.errors ?? [];
  const [isScope, name] = /^invalid scope\b(?:: `([a-z:]{1,64})`)?/i.exec(first?.message ?? "") ?? [];
  if (isScope === undefined) return undefined;
  return name === undefined ? "the application lacks a scope" : `the application lacks the scope ${name}`;
}

/** The code of the first error, in one form and short; undefined where there is no error. */
function errorCodeOf(json: unknown): string | undefined {
  const [first] = GraphQlErrors.safeParse(json).data?.errors ?? [];
  if (!first) return undefined;
  const { code, type } = first.extensions ?? {};
  return (code ?? type ?? "UNKNOWN")
    .toUpperCase()
    .replaceAll(/[^A-Z]+/g, "_")
    .slice(0, 64);
}
