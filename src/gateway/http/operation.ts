import type { z } from "zod";

import type { ErrorCode } from "./errors.ts";

/** One route of the REST API, as the router and the OpenAPI document know it. */
export interface Operation<Query extends z.ZodObject = z.ZodObject, Body extends z.ZodObject = z.ZodObject> {
  id: string;
  method: "get" | "post";
  /** As OpenAPI writes it. */
  path: string;
  summary: string;
  /** What RBAC must allow the caller to do. */
  permission: string;
  query: Query;
  body: Body;
  /** Limit of the body in bytes; {@link usualBodyBytes} by default. */
  maxBodyBytes?: number;
  /** Responses to requests that succeed, by status. */
  success: Readonly<Partial<Record<200 | 201 | 202, { description: string; body: z.ZodObject }>>>;
  /** Errors beside those that every route of its kind has. */
  errors: readonly ErrorCode[];
}

/** Limit of bodies in bytes by default. */
export const usualBodyBytes = 16_384;
