import { z } from "zod";
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiResponseObject } from "zod-openapi";

import { SessionEvent } from "../../api/runtime/session-event.ts";
import { version } from "../../api/v1alpha1/kind.ts";
import { archiveOperations } from "../archive/operations.ts";
import { automationOperations } from "../automations/operations.ts";
import { eventPaths } from "../events/event-paths.ts";
import { callerOperations } from "../http/caller-operations.ts";
import { ErrorBody } from "../http/answers.ts";
import { type ErrorCode, statusOf } from "../http/errors.ts";
import { Nothing, pathParameters } from "../http/inputs.ts";
import type { Operation } from "../http/router.ts";
import { imagePaths } from "../sessions/images/image-upload.ts";
import { mediaPaths } from "../sessions/media/media-download.ts";
import { sessionOperations } from "../sessions/operations.ts";
import { pullRequestOperations } from "../sessions/pull-requests/operations.ts";

/** Every operation of the REST API whose request and response are JSON. */
export const operations = {
  ...callerOperations,
  ...automationOperations,
  ...sessionOperations,
  ...pullRequestOperations,
  ...archiveOperations,
};

const json = "application/json";
const RetryAfter = z.object({ "Retry-After": z.string().meta({ description: "Seconds to wait." }) });

/** Errors that every route may answer, and those of routes with a path parameter or a body. */
const commonErrors = {
  all: ["InvalidRequest", "Unauthorized", "Forbidden", "Busy", "Unavailable"],
  one: ["NotFound"],
  body: ["PayloadTooLarge", "UnsupportedMediaType"],
} as const satisfies Record<string, readonly ErrorCode[]>;

/** The OpenAPI document of the REST API, made of the schemas that parse requests and type answers. */
export function openApiDocument(): object {
  const byPath = Map.groupBy(Object.entries<Operation>(operations), ([, { path }]) => path);
  const paths = [...byPath].map(([path, ofPath]) => [
    path,
    Object.fromEntries(ofPath.map(([name, operation]) => [operation.method, describe(name, operation)])),
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
      ...eventPaths(errorsOfOne),
      ...imagePaths(errorsOfOne),
      ...mediaPaths(errorsOfOne),
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

function describe(operationId: string, operation: Operation): ZodOpenApiOperationObject {
  const { summary, permission, method, path, query = Nothing.loose(), body = Nothing, success } = operation;
  const answers = Object.entries(success).map(
    ([status, { description, body: schema }]): [string, ZodOpenApiResponseObject] => [
      status,
      { description, content: { [json]: { schema } } },
    ],
  );
  return {
    operationId,
    summary,
    description: `The caller must be allowed to ${permission}.`,
    requestParams: { query, ...pathParameters(path) },
    ...(method === "post"
      ? { requestBody: { required: isRequired(body), content: { [json]: { schema: body } } } }
      : {}),
    responses: Object.fromEntries([...answers, ...errorResponses(codesOf(operation))]),
  };
}

/** A missing body is read as an empty object. */
function isRequired(body: z.ZodObject): boolean {
  return !body.safeParse({}).success;
}

/** Errors of routes of one object, and their own. */
function errorsOfOne(...own: ErrorCode[]): Record<string, ZodOpenApiResponseObject> {
  return Object.fromEntries(errorResponses([...commonErrors.all, ...commonErrors.one, ...own]));
}

function codesOf({ path, method, errors: own = [] }: Operation): readonly ErrorCode[] {
  return [
    ...commonErrors.all,
    ...(path.includes("{id}") ? commonErrors.one : []),
    ...(method === "post" ? commonErrors.body : []),
    ...own,
  ];
}

function errorResponses(codes: readonly ErrorCode[]): [string, ZodOpenApiResponseObject][] {
  const byStatus = Map.groupBy(codes, (code) => statusOf[code]);
  return [...byStatus].map(([status, of]) => [String(status), errorResponse(status, of)]);
}

function errorResponse(status: number, codes: readonly ErrorCode[]): ZodOpenApiResponseObject {
  return {
    description: codes.join(", "),
    content: { [json]: { schema: ErrorBody } },
    ...(status === 503 ? { headers: RetryAfter } : {}),
  };
}
