import type { Buffer } from "node:buffer";

import type { Request } from "express";
import type { z } from "zod";

import { type NamespacedName, parseNamespacedName } from "../../lib/namespaced-name.ts";
import { isDnsLabel } from "../../lib/dns-label.ts";
import { ApiError } from "./errors.ts";

/** The object of a path; empty where the path has no id. @throws ApiError for an invalid id */
export function parseId(id: string | string[] | undefined): NamespacedName {
  if (id === undefined) return { namespace: "", name: "" };
  const parsed = parseNamespacedName(String(id));
  if (!parsed) throw new ApiError("NotFound", "an id is <namespace>.<name>");
  return parsed;
}

/** The prompt of a path; empty where the path has none. @throws ApiError for an invalid name */
export function parsePromptId(id: string | string[] | undefined): string {
  if (id === undefined) return "";
  const name = String(id);
  if (!isDnsLabel(name)) throw new ApiError("NotFound", "a prompt's id is its name");
  return name;
}

/** Characters of a Content-Type. */
const longestContentType = 256;

/** The parsed JSON body; a missing body is an empty object. @throws ApiError */
export function parseBody<S extends z.ZodType>(schema: S, request: Request, bytes: Buffer): z.output<S> {
  if (bytes.length === 0) return parsed(schema, {}, "the body's ");
  // Parsing costs more the longer it is.
  if ((request.headers["content-type"] ?? "").length > longestContentType || !request.is("application/json")) {
    throw new ApiError(
      "UnsupportedMediaType",
      "a body's Content-Type must be application/json, in at most 256 characters",
    );
  }
  return parsed(schema, parseJson(bytes), "the body's ");
}

/** The parsed query. @throws ApiError */
export function parseQuery<S extends z.ZodType>(schema: S, request: Request): z.output<S> {
  return parsed(schema, request.query, "");
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new ApiError("InvalidRequest", "the body is not JSON in UTF-8");
  }
}

function parsed<S extends z.ZodType>(schema: S, value: unknown, whose: string): z.output<S> {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  throw new ApiError("InvalidRequest", error.issues.map((issue) => problem(issue, whose)).join("; "));
}

function problem(issue: z.core.$ZodIssue, whose: string): string {
  const field = issue.path.join(".");
  if (issue.code === "unrecognized_keys") {
    return `the body has unknown fields: ${issue.keys.map((key) => JSON.stringify(key.slice(0, 64))).join(", ")}`;
  }
  if (field === "") return "the body must be a JSON object";
  if (issue.code !== "invalid_type") return `${whose}${field} ${issue.message}`;
  return issue.expected === "string" && whose === ""
    ? `${field} must be given once`
    : `${whose}${field} must be ${issue.expected}`;
}
