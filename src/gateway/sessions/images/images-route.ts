import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";

import { imagesPath } from "../../../api/runtime/pod-contract.ts";
import type { StoredBlob } from "../../../blobs/blob-store.ts";
import { type ImageIdentity, parseImageName } from "../../../domain/images/image-key.ts";
import type { Logger } from "../../../telemetry/logger.ts";
import type { SessionImages } from "./session-images.ts";
import type { GatewayMetrics } from "../../metrics/gateway-metrics.ts";
import type { Gatekeeper } from "../../attempts/gatekeeper.ts";
import { SessionPlaces } from "../../attempts/session-places.ts";

interface Deps {
  gatekeeper: Pick<Gatekeeper, "judge">;
  images: Pick<SessionImages, "read">;
  logger: Logger;
  metrics: Pick<GatewayMetrics, "imageRequests" | "sandboxDurations">;
}

/** Images that one session's runtime fetches at once. */
const mostOfASession = 2;

/** How long a runtime may take no byte, in milliseconds. */
const silenceMs = 30_000;

interface Found {
  image: ImageIdentity;
  blob: StoredBlob;
}

interface Refusal {
  status: number;
  error: string;
  code: string;
}

/** `GET <path of the attempt>/images/<name>`: the bytes of an image of the session whose sandbox asks. */
export function imagesRoute(deps: Deps): RequestListener {
  const places = new SessionPlaces(mostOfASession);
  return (request, response) => {
    const answered = deps.metrics.sandboxDurations.startTimer({ path: "/images" });
    serve(deps, places, request, response)
      .catch((error: unknown) => failed(deps, error, response))
      .finally(() => {
        answered();
        deps.metrics.imageRequests.inc({ status: String(response.statusCode) });
      });
  };
}

/** Whether a path is one of {@link imagesRoute}'s. */
export function isImagePath(url: string): boolean {
  return url.includes(imagesPath);
}

async function serve(
  deps: Deps,
  places: SessionPlaces,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { url = "", method, headers } = request;
  const at = url.lastIndexOf(imagesPath);
  const image = parseImageName(url.slice(at + imagesPath.length));
  if (!image || method !== "GET") {
    refuse(response, notFound);
    return;
  }
  const verdict = await deps.gatekeeper.judge({ url: url.slice(0, at), headers });
  if ("refuse" in verdict) {
    refuse(response, verdict.refuse);
    return;
  }
  const { uid = "" } = verdict.admit.session.metadata;
  const leave = places.take(uid);
  if (!leave) {
    refuse(response, busy);
    return;
  }
  try {
    const blob = await deps.images.read(uid, image);
    if (blob) await send(response, { image, blob });
    else refuse(response, notFound);
  } finally {
    leave();
  }
}

async function send(response: ServerResponse, { image, blob: { size, content } }: Found): Promise<void> {
  response.writeHead(200, { "content-type": image.mediaType, "content-length": size, connection: "close" });
  response.setTimeout(silenceMs, () => response.destroy());
  await pipeline(content, response);
}

const notFound: Refusal = { status: 404, code: "NotFound", error: "the session has no such image" };
const busy: Refusal = { status: 503, code: "Busy", error: "too many images at once; try again" };
const unavailable: Refusal = { status: 503, code: "Unavailable", error: "the image cannot be read now; try again" };

function failed({ logger }: Deps, error: unknown, response: ServerResponse): void {
  logger.warn({ err: error }, "Could not give an image to a sandbox");
  if (response.headersSent) response.destroy();
  else refuse(response, unavailable);
}

function refuse(response: ServerResponse, { status, error, code }: Refusal): void {
  const text = JSON.stringify({ error, code });
  const length = Buffer.byteLength(text);
  response.writeHead(status, { "content-type": "application/json", "content-length": length, connection: "close" });
  response.end(text);
}
