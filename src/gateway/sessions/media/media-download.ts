import { pipeline } from "node:stream/promises";

import express, { type Request, type RequestHandler, type Response, type Router } from "express";
import type { ZodOpenApiPathsObject, ZodOpenApiResponsesObject } from "zod-openapi";

import { mediaTypes } from "../../../api/v1alpha1/prompt-media.ts";
import { Session } from "../../../api/v1alpha1/session.ts";
import type { StoredBlob } from "../../../blobs/blob-store.ts";
import { type MediaIdentity, parseMediaName } from "../../../domain/media/media-name.ts";
import type { KubeClient } from "../../../kube/client.ts";
import type { Clock } from "../../../lib/clock.ts";
import { withinBudget } from "../../http/budget.ts";
import type { Callers } from "../../http/callers.ts";
import { ApiError } from "../../http/errors.ts";
import { findLive } from "../../http/find-live.ts";
import { pathParameters } from "../../http/inputs.ts";
import { parseId, parsePromptId } from "../../http/request.ts";
import { expressPath, methodNotAllowed } from "../../http/router.ts";
import { SharedPlaces } from "../../http/shared-places.ts";
import type { GatewayMetrics } from "../../metrics/gateway-metrics.ts";
import { findPrompt } from "../find-prompt.ts";
import type { SessionMedia } from "./session-media.ts";

interface Deps {
  callers: Pick<Callers, "identify" | "authorize">;
  client: Pick<KubeClient, "find">;
  media: Pick<SessionMedia, "read">;
  clock: Clock;
  metrics: Pick<GatewayMetrics, "overShare">;
  budgetMs: number;
}

/** Milliseconds without progress after which a download ends. */
const silenceMs = 30_000;

const path = "/sessions/{id}/prompts/{promptId}/media/{file}";

/** The route of files that agents attached to their answers. */
export function mediaRoutes(deps: Deps): Router {
  const router = express.Router();
  router.route(expressPath(path)).get(mediaDownload(deps)).all(methodNotAllowed("GET", "HEAD"));
  return router;
}

/** OpenAPI paths of these routes, with the common error responses. */
export function mediaPaths(errors: () => ZodOpenApiResponsesObject): ZodOpenApiPathsObject {
  const content = Object.fromEntries(
    mediaTypes.map((type) => [type, { schema: { type: "string" as const, format: "binary" } }]),
  );
  return {
    [path]: {
      get: {
        operationId: "downloadMedia",
        summary: "A file that the agent attached to its answer",
        description:
          "file is the digest's 64 digits and the ending that follows from the media type, such as .png or .mp4. Files are kept for a week at least. The caller must be allowed to get prompts.",
        requestParams: pathParameters(path),
        responses: {
          200: { description: "The file, whose content nobody has checked but for its format.", content },
          ...errors(),
        },
      },
    },
  };
}

function mediaDownload(deps: Deps): RequestHandler {
  const places = new SharedPlaces("mediaDownloads", deps);
  return async (request, response) => {
    const found = await withinBudget(deps.clock, deps.budgetMs, (signal) => find(deps, request, signal));
    const work = async (): Promise<void> => {
      const blob = await deps.media.read(found);
      if (!blob) throw noSuchFile();
      await send(response, found.file, blob);
    };
    await places.run(found.namespace, work);
  };
}

interface Found {
  namespace: string;
  sessionUid: string;
  promptUid: string;
  file: MediaIdentity;
}

async function find({ callers, client }: Deps, request: Request, signal: AbortSignal): Promise<Found> {
  const caller = await callers.identify(request, signal);
  const named = parseId(request.params.id);
  const name = parsePromptId(request.params.promptId);
  const { namespace } = named;
  await callers.authorize(caller, { verb: "get", resource: "prompts", namespace, name }, signal);
  const session = await findLive<Session>(client, Session, named, signal);
  const { metadata, status } = await findPrompt(client, { session: named, name }, signal);
  const wanted = parseMediaName(String(request.params.file));
  const file = status?.media?.files.find((one) => one.digest === wanted?.digest && one.mediaType === wanted.mediaType);
  if (!file) throw noSuchFile();
  return { namespace, sessionUid: session.metadata.uid ?? "", promptUid: metadata.uid ?? "", file };
}

const noSuchFile = (): ApiError => new ApiError("NotFound", "the prompt has no such file");

/** Browsers keep it and show nothing of it: what an agent made is no part of our pages. */
async function send(response: Response, { mediaType }: MediaIdentity, { size, content }: StoredBlob): Promise<void> {
  response.writeHead(200, {
    "content-type": mediaType,
    "content-length": size,
    "content-disposition": "attachment",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  });
  response.setTimeout(silenceMs, () => response.destroy());
  await pipeline(content, response).catch(() => response.destroy());
}
