import express, { type Request, type RequestHandler, type Router } from "express";
import type { ZodOpenApiPathsObject, ZodOpenApiResponsesObject } from "zod-openapi";

import { imageLimits, Session } from "../../../api/v1alpha1/index.ts";
import type { ImageIdentity } from "../../../domain/images/image-key.ts";
import type { KubeClient } from "../../../kube/client.ts";
import type { BodyBudget } from "../../../lib/body-budget.ts";
import { atPace, BytePace } from "../../../lib/byte-pace.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { SessionImages } from "./session-images.ts";
import { withinBudget } from "../../http/budget.ts";
import type { Callers } from "../../http/callers.ts";
import type { LongLists } from "../../http/long-lists.ts";
import { nameOf } from "../../http/product-words.ts";
import { isSettled } from "../../../domain/prompts/prompt-state.ts";
import { promptsOf } from "../prompt-list.ts";
import type { ErrorCode } from "../../http/errors.ts";
import type { GatewayMetrics } from "../../metrics/gateway-metrics.ts";
import { findLive } from "../../http/find-live.ts";
import { pathParameters } from "../../http/inputs.ts";
import { parseId } from "../../http/request.ts";
import { readRequestBody } from "../../http/request-body.ts";
import { expressPath, methodNotAllowed } from "../../http/router.ts";
import { SharedPlaces } from "../../http/shared-places.ts";
import { uploadPace } from "../../http/upload-pace.ts";
import { UploadedImage } from "../answers.ts";

/** Time limit of the blob store, in milliseconds. */
const storeMs = 30_000;

interface Deps {
  callers: Pick<Callers, "identify" | "authorize">;
  client: Pick<KubeClient, "find">;
  lists: LongLists;
  images: Pick<SessionImages, "store">;
  clock: Clock;
  metrics: Pick<GatewayMetrics, "overShare">;
  budgetMs: number;
  /** Shared by namespace. */
  bodies: BodyBudget;
}

const path = "/sessions/{id}/images";

/** The route of a session's images. */
export function imageRoutes(deps: Deps): Router {
  const router = express.Router();
  router.route(expressPath(path)).post(imageUpload(deps)).all(methodNotAllowed("POST"));
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
          ...errors("NotAnImage", "TooManyImages", "NoRoom", "PayloadTooLarge", "UnsupportedMediaType"),
        },
      },
    },
  };
}

/** Stores an image for prompts of the session. Reads the body after authorization. */
function imageUpload(deps: Deps): RequestHandler {
  const places = new SharedPlaces("imageUploads", deps);
  const pace = new BytePace(deps.clock, uploadPace);
  return async (request, response) => {
    const session = await withinBudget(deps.clock, deps.budgetMs, (signal) => authorize(deps, request, signal));
    const { namespace = "" } = session.metadata;
    const upload = (): Promise<void> =>
      deps.bodies.lend(async (room) => {
        const onPiece = atPace(pace, { key: namespace, clock: deps.clock });
        const content = await readRequestBody(request, { longestBytes: imageLimits.bytes, room, onPiece });
        const image = await store(deps, session, content);
        response.setHeader("cache-control", "no-store");
        response.status(201).json({ image: { ...image, size: content.length } } satisfies UploadedImage);
      }, namespace);
    await places.run(namespace, upload);
  };
}

async function authorize({ callers, client }: Deps, request: Request, signal: AbortSignal): Promise<Session> {
  const caller = await callers.identify(request, signal);
  const id = parseId(request.params.id);
  await callers.authorize(caller, { verb: "create", resource: "prompts", namespace: id.namespace }, signal);
  return findLive<Session>(client, Session, id, signal);
}

function store({ images, lists, clock }: Deps, session: Session, content: Uint8Array): Promise<ImageIdentity> {
  const { uid: sessionUid = "", namespace = "" } = session.metadata;
  return withinBudget(clock, storeMs, (signal) => {
    const inUse = async (): Promise<ImageIdentity[]> => {
      const prompts = await promptsOf(lists, nameOf(session), signal);
      return prompts.filter((one) => !isSettled(one)).flatMap(({ spec }) => spec.images ?? []);
    };
    return images.store({ session: { sessionUid, namespace }, content, inUse, signal });
  });
}
