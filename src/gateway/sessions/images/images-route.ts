import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";

import { imagesPath } from "../../../api/runtime/pod-contract.ts";
import type { StoredBlob } from "../../../blobs/blob-store.ts";
import { type ImageIdentity, parseImageName } from "../../../domain/images/image-key.ts";
import type { Logger } from "../../../telemetry/logger.ts";
import type { SessionImages } from "./session-images.ts";
import type { GatewayMetrics } from "../../metrics/gateway-metrics.ts";
import type { Session } from "../../../api/v1alpha1/session.ts";
import type { Gatekeeper } from "../../attempts/gatekeeper.ts";
import { SandboxError } from "../../attempts/sandbox-error.ts";
import type { SessionRate } from "../../attempts/session-rate.ts";
import { FairShares } from "../../../lib/fair-shares.ts";
import { answerJson } from "../../http/json-answer.ts";

interface Deps {
  gatekeeper: Pick<Gatekeeper<Session>, "judge">;
  images: Pick<SessionImages, "read">;
  logger: Logger;
  rate: Pick<SessionRate, "take">;
  metrics: Pick<GatewayMetrics, "imageRequests" | "sandboxDurations">;
}

/** Images that the runtime of one session may fetch at once. */
const mostOfASession = 2;

/** Milliseconds without progress after which a download ends. */
const silenceMs = 30_000;

interface Found {
  image: ImageIdentity;
  blob: StoredBlob;
}

/** `GET <path of the attempt>/images/<name>`: an image of the session, for its sandbox. */
export function imagesRoute(deps: Deps): RequestListener {
  const shares = new FairShares({ perKey: mostOfASession });
  return (request, response) => {
    const answered = deps.metrics.sandboxDurations.startTimer({ path: "/images" });
    serve(deps, shares, request, response)
      .catch((error: unknown) => failed(deps, error, response))
      .finally(() => {
        answered();
        deps.metrics.imageRequests.inc({ status: String(response.statusCode) });
      });
  };
}

/** Whether a path belongs to {@link imagesRoute}. */
export function isImagePath(url: string): boolean {
  return url.includes(imagesPath);
}

async function serve(
  deps: Deps,
  shares: FairShares,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { url = "", method, headers } = request;
  const at = url.lastIndexOf(imagesPath);
  const image = parseImageName(url.slice(at + imagesPath.length));
  if (!image || method !== "GET") throw notFound();
  const admittance = await deps.gatekeeper.judge({ url: url.slice(0, at), headers });
  if ("refuse" in admittance) throw admittance.refuse;
  const { uid = "" } = admittance.admit.owner.metadata;
  deps.rate.take(uid, imagesPath);
  const work = async (): Promise<void> => {
    const blob = await deps.images.read(uid, image);
    if (!blob) throw notFound();
    await send(response, { image, blob });
  };
  await shares.run(uid, work, busy);
}

async function send(response: ServerResponse, { image, blob: { size, content } }: Found): Promise<void> {
  response.writeHead(200, { "content-type": image.mediaType, "content-length": size, connection: "close" });
  response.setTimeout(silenceMs, () => response.destroy());
  await pipeline(content, response);
}

const notFound = (): Error => new SandboxError(404, "NotFound", "the session has no such image");
const busy = (): Error =>
  new SandboxError(503, "Busy", `a session fetches at most ${mostOfASession} images at once: try again`);

function failed({ logger }: Deps, error: unknown, response: ServerResponse): void {
  if (error instanceof SandboxError) {
    answerJson(response, error);
    return;
  }
  logger.warn({ err: error }, "Could not send an image to a sandbox");
  if (response.headersSent) response.destroy();
  else answerJson(response, new SandboxError(503, "Unavailable", "the image cannot be read now; try again"));
}
