import type { ErrorRequestHandler } from "express";
import type { Logger } from "../../telemetry/logger.ts";

/** Every way in which the people's API says no; a code without a status does not compile. */
const statusOf = {
  InvalidRequest: 400,
  NotAWebhook: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  KeyExists: 409,
  KeyManagedBySecret: 409,
  Conflict: 409,
  Busy: 503,
  Unavailable: 503,
} as const;
export type ErrorCode = keyof typeof statusOf;

/** A refusal that the caller may read. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }

  get status(): number {
    return statusOf[this.code];
  }
}

/** Answers `{error, code}`; what is not a refusal of ours is logged and shown as unavailable, without internals. */
export function answerErrors(logger: Logger): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const refusal = refusalOf(error);
    if (refusal.status >= 500) {
      logger.error({ err: error }, "Could not answer a request");
      response.setHeader("retry-after", "2");
    }
    response.status(refusal.status).json({ error: refusal.message, code: refusal.code });
  };
}

function refusalOf(error: unknown): { status: number; code: string; message: string } {
  if (error instanceof ApiError) return error;
  const status = bodyParserStatus(error);
  if (status === undefined) return new ApiError("Unavailable", "the request could not be carried out; try again");
  return {
    status,
    code: "InvalidRequest",
    message: "the request cannot be read; a body must be JSON of at most 16 KiB",
  };
}

/** Express's body parser marks what the sender did wrong with a 4xx. */
function bodyParserStatus(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null || !("status" in error)) return undefined;
  const { status } = error;
  return typeof status === "number" && status >= 400 && status < 500 ? status : undefined;
}
