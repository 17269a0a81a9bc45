import express, { type Router } from "express";
import type { ZodOpenApiPathsObject, ZodOpenApiResponsesObject } from "zod-openapi";
import { imageLimits } from "../../../api/v1alpha1/prompt-image.ts";
import type { ErrorCode } from "../../http/errors.ts";
import { pathParameters } from "../../http/inputs.ts";
import { methodNotAllowed } from "../../http/router.ts";
import { UploadedImage } from "../answers.ts";
import { imageUpload } from "./image-upload.ts";

const path = "/sessions/{id}/images";

/** The route of a session's images. */
export function imageRoutes(deps: Parameters<typeof imageUpload>[0]): Router {
  const router = express.Router();
  router.route(path.replace("{id}", ":id")).post(imageUpload(deps)).all(methodNotAllowed("POST"));
  return router;
}

/** OpenAPI paths of these routes, with the common error responses. */
export function imagePaths(errors: (...own: ErrorCode[]) => ZodOpenApiResponsesObject): ZodOpenApiPathsObject {
  return {
    [path]: {
      post: {
        operationId: "uploadImage",
        summary: "Upload an image for prompts of a session",
        description: `The body is the image: PNG, JPEG, WebP or GIF by its content, at most ${imageLimits.bytes} bytes. The caller must be allowed to create prompts.`,
        requestParams: pathParameters(path),
        requestBody: {
          required: true,
          content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } },
        },
        responses: {
          201: {
            description: "It is stored; a prompt names it by digest and mediaType.",
            content: { "application/json": { schema: UploadedImage } },
          },
          ...errors("NotAnImage", "TooManyImages", "PayloadTooLarge", "UnsupportedMediaType"),
        },
      },
    },
  };
}
