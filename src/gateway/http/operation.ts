import type { z } from "zod";

import type { ErrorCode } from "./errors.ts";

/** One route of the REST API, as the router and the OpenAPI document know it. */
export interface Operation<Query extends z.ZodObject = z.ZodObject, Body extends z.ZodObject = z.ZodObject> {
  id: string;
  method: "get" | "post";
  /** As OpenAPI writes it. */
  path: string;
  summary: string;
  /** What the caller must be allowed to do. */
  needs: string;
  query: Query;
  body: Body;
  /** Bytes of the largest body; left out: {@link usualBodyBytes}. */
  longestBody?: number;
  /** What is answered to which success. */
  success: Readonly<Partial<Record<200 | 201 | 202, { says: string; body: z.ZodObject }>>>;
  /** Errors beside those that every route of its kind has. */
  errors: readonly ErrorCode[];
}

/** Bytes of the largest body where an operation does not say otherwise. */
export const usualBodyBytes = 16_384;
