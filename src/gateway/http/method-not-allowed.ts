import type { RequestHandler } from "express";

import { ApiError } from "./errors.ts";

/** Refuses every request with the methods that its path has. */
export function methodNotAllowed(...allowed: string[]): RequestHandler {
  return (_request, response) => {
    response.setHeader("allow", allowed.join(", "));
    throw new ApiError("MethodNotAllowed", `the method must be ${allowed.join(" or ")}`);
  };
}
