import type { ErrorRequestHandler } from "express";

import type { Logger } from "../../telemetry/logger.ts";
import { apiErrorOf } from "./errors.ts";

/** `Retry-After` of server errors. */
const retryAfterSeconds = "2";

/** Express middleware that answers errors as JSON, and logs those of the gateway itself. */
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
    // The unread rest of the body would be parsed as the next request.
    if (status === 413) response.setHeader("connection", "close");
    response.status(status).json({ error: message, code, ...details });
  };
}
