import type { IncomingMessage } from "node:http";

import { Refusal } from "../domain/deliveries/refusal.ts";
import { BodyError, type BodyProblem, type BodyReading, countBody, readWholeBody } from "../lib/whole-body.ts";

/** The sender closed the connection before its request was complete, so no answer can be sent. */
export class SenderGoneError extends Error {
  override readonly name = "SenderGoneError";
}

/** Reads a whole body. @throws Refusal `PayloadTooLarge`, `Unavailable` @throws SenderGoneError */
export function readBody(request: IncomingMessage, reading: BodyReading): Promise<Buffer> {
  return readWholeBody(request, reading).catch((error: unknown) => {
    throw refusalOf(error, reading);
  });
}

/** Waits for the end of a body that nobody reads, so that its size is judged all the same; gives its bytes. @throws as {@link readBody} */
export function skipBody(request: IncomingMessage, reading: Omit<BodyReading, "room">): Promise<number> {
  return countBody(request, reading).catch((error: unknown) => {
    throw refusalOf(error, reading);
  });
}

function refusalOf(error: unknown, { longestBytes }: Pick<BodyReading, "longestBytes">): unknown {
  return error instanceof BodyError ? refusals[error.problem](longestBytes) : error;
}

const refusals: Readonly<Record<BodyProblem, (longestBytes: number) => Error>> = {
  SenderGone: () => new SenderGoneError(),
  TooLarge: (longestBytes) =>
    new Refusal({
      code: "PayloadTooLarge",
      message: `The body is larger than ${longestBytes.toLocaleString("en")} bytes`,
    }),
  TooManyPieces: () =>
    new Refusal({
      code: "PayloadTooLarge",
      message:
        "The body came in too many small chunks; send it in chunks of 64 bytes or more, or with a Content-Length",
      cause: "pieces",
    }),
  NoRoom: () =>
    new Refusal({
      code: "Unavailable",
      message: "Too many bodies are being read right now; send it again",
      cause: "body-budget",
      retryAfterSeconds: 2,
    }),
};
