import express, { type RequestHandler, type Router } from "express";
import type { ZodOpenApiPathsObject, ZodOpenApiResponsesObject } from "zod-openapi";
import { z } from "zod";
import { imageLimits } from "../../api/v1alpha1/prompt-image.ts";
import { ApiError, type ErrorCode } from "../http/errors.ts";
import { EventsQuery } from "../events/inputs.ts";
import { pathParameters } from "../http/inputs.ts";
import { sessionEvents } from "../events/session-events.ts";
import { UploadedImage } from "../sessions/answers.ts";
import { imageUpload } from "../sessions/images/image-upload.ts";

const path = "/sessions/{id}/events";
const imagesPath = "/sessions/{id}/images";

/** The routes of the people's API that stream, or take something else than JSON. */
export function sessionRouter(deps: Parameters<typeof sessionEvents>[0] & Parameters<typeof imageUpload>[0]): Router {
  const router = express.Router();
  router.route(path.replace("{id}", ":id")).get(sessionEvents(deps)).all(refuseMethod("GET", "HEAD"));
  router.route(imagesPath.replace("{id}", ":id")).post(imageUpload(deps)).all(refuseMethod("POST"));
  return router;
}

function refuseMethod(...allowed: string[]): RequestHandler {
  return (_request, response) => {
    response.setHeader("allow", allowed.join(", "));
    throw new ApiError("MethodNotAllowed", `the method must be ${allowed.join(" or ")}`);
  };
}

/** They in the OpenAPI document, with what all routes may refuse with. */
export function sessionPaths(refusedWith: (...codes: ErrorCode[]) => ZodOpenApiResponsesObject): ZodOpenApiPathsObject {
  return {
    [path]: {
      get: {
        operationId: "streamSessionEvents",
        summary: "What happened in a session, and what happens until it is finished",
        description:
          "Server-Sent Events. The data of each is a SessionEvent, its id goes into Last-Event-ID to read on behind it; an event named end says that the session is finished. A stream also ends after half an hour. The caller must be allowed to get sessions/log.",
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
          ...refusedWith(),
        },
      },
    },
    [imagesPath]: {
      post: {
        operationId: "uploadImage",
        summary: "Upload an image for prompts of a session",
        description: `The body is the image: PNG, JPEG, WebP or GIF by its content, at most ${imageLimits.bytes} bytes. The caller must be allowed to create prompts.`,
        requestParams: pathParameters(imagesPath),
        requestBody: {
          required: true,
          content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } },
        },
        responses: {
          201: {
            description: "It is stored; a prompt names it by digest and mediaType.",
            content: { "application/json": { schema: UploadedImage } },
          },
          ...refusedWith("NotAnImage", "TooManyImages", "PayloadTooLarge", "UnsupportedMediaType"),
        },
      },
    },
  };
}
