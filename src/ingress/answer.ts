import type { IncomingMessage, ServerResponse } from "node:http";

import type { Clock } from "../lib/clock.ts";
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

/** Milliseconds, bytes and pieces for which the rest of a body is discarded after an early answer. */
const lingerMs = 1_000;
const lingerBytes = 1_048_576;
const lingerPieces = 1_024;

/** A request and the response to it. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  clock: Pick<Clock, "setTimeout">;
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
  if (request.complete || !hasBody(request)) write(response, answered);
  else writeAndLinger(exchange, answered);
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

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
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

/**
 * Answers a request whose body is still arriving. Closing at once would reset the connection, and a sender that is
 * still writing would lose the answer; so the rest is discarded for a while before the connection is closed.
 */
function writeAndLinger({ request, response, clock }: Exchange, answer: Answer): void {
  response.shouldKeepAlive = false;
  head(response, answer);
  response.write(answer.body);
  let [bytes, pieces] = [0, 0];
  const end = (): void => {
    timer.cancel();
    request.off("data", count);
    response.end();
  };
  const count = (chunk: Buffer): void => {
    bytes += chunk.length;
    pieces += 1;
    if (bytes > lingerBytes || pieces > lingerPieces) end();
  };
  const timer = clock.setTimeout(end, lingerMs);
  request.on("data", count);
  request.once("end", end);
  request.once("close", end);
}
