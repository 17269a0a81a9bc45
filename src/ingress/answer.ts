import type { ServerResponse } from "node:http";

import { answerBeforeBody, type EarlyAnswer, mostDiscarded } from "../lib/rest-of-body.ts";
import { receiptOf, type Accepted } from "../domain/deliveries/receipt.ts";
import { Refusal, type RefusalCode } from "../domain/deliveries/refusal.ts";

const statusOf = {
  InvalidPayload: 400,
  MissingKey: 401,
  WrongKey: 401,
  Stale: 401,
  WrongWorkspace: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  PayloadTooLarge: 413,
  UnsupportedMediaType: 415,
  RateLimited: 429,
  TooManyUnfinishedRuns: 429,
  Throttled: 429,
  Unavailable: 503,
} as const satisfies Record<RefusalCode, number>;

/** A request and the response to it. */
export interface Exchange extends EarlyAnswer {
  /** `WWW-Authenticate` of an answer 401 that names no other. */
  challenge: string;
}

/** An answer before it is written. */
interface Answer {
  status: number;
  headers?: Record<string, string> | undefined;
  body: string;
}

/**
 * Answers 200 with the four fields of a receipt, or `{"error": "…"}` with the refusal's status and the headers that
 * the status requires; returns the status.
 */
export function answer(exchange: Exchange, outcome: Accepted | Refusal): number {
  const { request, response, challenge } = exchange;
  const answered = answerTo(outcome, challenge);
  if (mostDiscarded(request) > 0) answerBeforeBody(exchange, answered.body, () => head(response, answered));
  else write(response, answered);
  return answered.status;
}

function answerTo(outcome: Accepted | Refusal, challenge: string): Answer {
  if (!(outcome instanceof Refusal)) {
    const { verdict, challenge: asked } = outcome;
    return { status: 200, body: JSON.stringify({ ...receiptOf(verdict), challenge: asked }) };
  }
  const status = statusOf[outcome.code];
  return {
    status,
    headers: headersOf(status, outcome, outcome.challenge ?? challenge),
    body: JSON.stringify({ error: outcome.message }),
  };
}

function headersOf(status: number, { retryAfterSeconds }: Refusal, challenge: string): Record<string, string> {
  if (status === 401) return { "www-authenticate": challenge };
  if (status === 405) return { allow: "POST" };
  if (status === 429 || status === 503) return { "retry-after": String(Math.max(1, retryAfterSeconds ?? 1)) };
  return {};
}

function head(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    ...headers,
  });
}

function write(response: ServerResponse, answer: Answer): void {
  head(response, answer);
  response.end(answer.body);
}
