import type { IncomingMessage, ServerResponse } from "node:http";

import type { Clock } from "./clock.ts";

/** Bytes, milliseconds and pieces for which the rest of a body is discarded after an early answer. */
const mostBytes = 1_048_576;
const mostMs = 1_000;
const mostPieces = 1_024;

/** A request and the response to it. */
export interface EarlyAnswer {
  request: IncomingMessage;
  response: ServerResponse;
  clock: Pick<Clock, "setTimeout">;
}

/** Bytes that are discarded of a request's body at most, if it is answered now; 0 where all of it has arrived. */
export function mostDiscarded({ complete, headers }: IncomingMessage): number {
  if (complete) return 0;
  if (headers["transfer-encoding"] !== undefined) return mostBytes;
  return Math.min(mostBytes, Number(headers["content-length"] ?? 0));
}

/**
 * Answers a request whose body is still arriving; the headers are written by `head`. Closing at once would reset the connection, and a
 * sender that is still writing would lose the answer; so the rest is discarded for a while before the connection is closed.
 */
export function answerBeforeBody({ request, response, clock }: EarlyAnswer, body: string, head: () => void): void {
  response.shouldKeepAlive = false;
  head();
  response.write(body);
  let [bytes, pieces] = [0, 0];
  const end = (): void => {
    timer.cancel();
    request.off("data", count);
    response.end();
  };
  const count = (chunk: Buffer): void => {
    bytes += chunk.length;
    pieces += 1;
    if (bytes > mostBytes || pieces > mostPieces) end();
  };
  const timer = clock.setTimeout(end, mostMs);
  request.on("data", count);
  request.once("end", end);
  request.once("close", end);
}
