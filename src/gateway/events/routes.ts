import express, { type Router } from "express";
import { z } from "zod";
import type { ZodOpenApiPathsObject, ZodOpenApiResponsesObject } from "zod-openapi";
import { pathParameters } from "../http/inputs.ts";
import { methodNotAllowed } from "../http/router.ts";
import { EventsQuery } from "./inputs.ts";
import { sessionEvents } from "./session-events.ts";

const path = "/sessions/{id}/events";

/** The route of a session's events. */
export function eventRoutes(deps: Parameters<typeof sessionEvents>[0]): Router {
  const router = express.Router();
  router.route(path.replace("{id}", ":id")).get(sessionEvents(deps)).all(methodNotAllowed("GET", "HEAD"));
  return router;
}

/** OpenAPI paths of these routes, with the common error responses. */
export function eventPaths(errors: () => ZodOpenApiResponsesObject): ZodOpenApiPathsObject {
  return {
    [path]: {
      get: {
        operationId: "streamSessionEvents",
        summary: "What happened in a session, and what happens until it is finished",
        description:
          "Server-Sent Events. The data of each is a SessionEvent, its id goes into Last-Event-ID to continue after it; an event named end means that the session is finished. A stream also ends after half an hour. The caller must be allowed to get sessions/log.",
        requestParams: {
          ...pathParameters(path),
          query: EventsQuery,
          header: z.object({
            "Last-Event-ID": z
              .string()
              .regex(/^([1-9][0-9]{0,6}\.[1-9][0-9]{0,15})?$/)
              .optional()
              .meta({ description: "The id of the last event that was read." }),
          }),
        },
        responses: {
          200: {
            description: "The events, oldest first.",
            content: { "text/event-stream": { schema: { type: "string" } } },
          },
          ...errors(),
        },
      },
    },
  };
}
