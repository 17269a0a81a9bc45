import type { IncomingMessage } from "node:http";

import { BodyError, type BodyProblem, type BodyReading, readWholeBody } from "../../lib/whole-body.ts";
import { ApiError } from "./errors.ts";

/** Reads a whole body that is not compressed. @throws ApiError */
export async function readRequestBody(request: IncomingMessage, reading: BodyReading): Promise<Buffer> {
  const encoding = (request.headers["content-encoding"] ?? "").toLowerCase();
  if (encoding !== "" && encoding !== "identity") {
    throw new ApiError("UnsupportedMediaType", "the body must come without a Content-Encoding");
  }
  return readWholeBody(request, reading).catch((error: unknown) => {
    throw error instanceof BodyError ? refusals[error.problem](reading.longestBytes) : error;
  });
}

const refusals: Readonly<Record<BodyProblem, (longestBytes: number) => ApiError>> = {
  SenderGone: () => new ApiError("InvalidRequest", "the body broke off"),
  TooLarge: (longestBytes) => new ApiError("PayloadTooLarge", `the body is larger than ${longestBytes} bytes`),
  TooManyPieces: () =>
    new ApiError(
      "PayloadTooLarge",
      "the body came in too many small chunks; send it in chunks of 64 bytes or more, or with a Content-Length",
    ),
  NoRoom: () =>
    new ApiError(
      "Busy",
      "your namespace has its share of the 64 MiB that the gateway has for bodies; try again, or ask the platform team for more (gateway.replicas)",
    ),
};
