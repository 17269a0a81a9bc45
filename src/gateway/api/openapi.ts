import { z } from "zod";
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiResponseObject } from "zod-openapi";

import { SessionEvent } from "../../api/runtime/session-event.ts";
import { version } from "../../api/v1alpha1/kind.ts";
import { Refusal } from "../http/answers.ts";
import { type ErrorCode, statusOf } from "../http/errors.ts";
import { pathParameters } from "../http/inputs.ts";
import type { Operation } from "../http/operation.ts";
import { operations } from "./operations.ts";
import { sessionPaths } from "./session-routes.ts";

const json = "application/json";
const RetryAfter = z.object({ "Retry-After": z.string().meta({ description: "Seconds to wait." }) });

/** What every route may refuse with, and what those with a path parameter or a body may. */
const refusals = {
  all: ["InvalidRequest", "Unauthorized", "Forbidden", "Busy", "Unavailable"],
  one: ["NotFound"],
  body: ["PayloadTooLarge", "UnsupportedMediaType"],
} as const satisfies Record<string, readonly ErrorCode[]>;

/** The people's API in words for tools, made of the schemas that judge requests and shape answers. */
export function openApiDocument(): object {
  const byPath = Map.groupBy(Object.values<Operation>(operations), ({ path }) => path);
  const paths = [...byPath].map(([path, ofPath]) => [
    path,
    Object.fromEntries(ofPath.map((operation) => [operation.method, describe(operation)])),
  ]);
  return createDocument({
    openapi: "3.1.0",
    info: {
      title: "Runwright",
      version,
      description:
        "Automations, their invocations, sessions, their prompts and what happens in them, for people and tools. Every call carries a Kubernetes token; Kubernetes RBAC decides what it may do. Instants are milliseconds since 1970.",
    },
    security: [{ token: [] }],
    paths: {
      ...(Object.fromEntries(paths) as Record<string, Record<string, ZodOpenApiOperationObject>>),
      ...sessionPaths((...own) => Object.fromEntries(refusedWith([...refusals.all, ...refusals.one, ...own]))),
    },
    components: {
      schemas: { SessionEvent },
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: "A token of the API server's or of kubectl create token.",
        },
      },
    },
  });
}

function describe(operation: Operation): ZodOpenApiOperationObject {
  const { id, summary, needs, method, path, query, body, success } = operation;
  const answers = Object.entries(success).map(
    ([status, { says, body: schema }]): [string, ZodOpenApiResponseObject] => [
      status,
      { description: says, content: { [json]: { schema } } },
    ],
  );
  return {
    operationId: id,
    summary,
    description: `The caller must be allowed to ${needs}.`,
    requestParams: { query, ...pathParameters(path) },
    ...(method === "post"
      ? { requestBody: { required: isRequired(body), content: { [json]: { schema: body } } } }
      : {}),
    responses: Object.fromEntries([...answers, ...refusedWith(codesOf(operation))]),
  };
}

/** No body is an empty object. */
function isRequired(body: z.ZodObject): boolean {
  return !body.safeParse({}).success;
}

function codesOf({ path, method, refusals: own }: Operation): readonly ErrorCode[] {
  return [
    ...refusals.all,
    ...(path.includes("{id}") ? refusals.one : []),
    ...(method === "post" ? refusals.body : []),
    ...own,
  ];
}

function refusedWith(codes: readonly ErrorCode[]): [string, ZodOpenApiResponseObject][] {
  const byStatus = Map.groupBy(codes, (code) => statusOf[code]);
  return [...byStatus].map(([status, of]) => [String(status), refusal(status, of)]);
}

function refusal(status: number, codes: readonly ErrorCode[]): ZodOpenApiResponseObject {
  return {
    description: codes.join(", "),
    content: { [json]: { schema: Refusal } },
    ...(status === 503 ? { headers: RetryAfter } : {}),
  };
}
