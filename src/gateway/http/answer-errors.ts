import type { ErrorRequestHandler } from "express";

import type { Logger } from "../../telemetry/logger.ts";
import { apiErrorOf } from "./errors.ts";

/** Seconds after which a caller that was answered 503 may come again. */
const retryAfterSeconds = "2";

/** Answers `{error, code}`; failures of ours are logged. */
export function answerErrors(logger: Logger): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const { status, message, code, details } = apiErrorOf(error);
    if (status >= 500) {
      logger.error({ err: error }, "Could not answer a request");
      response.setHeader("retry-after", retryAfterSeconds);
    }
    if (status === 401) response.setHeader("www-authenticate", "Bearer");
    // The rest of a body that was not read would be taken for the next request.
    if (status === 413) response.setHeader("connection", "close");
    response.status(status).json({ error: message, code, ...details });
  };
}
