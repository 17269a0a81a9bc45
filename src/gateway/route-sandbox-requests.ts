import type { RequestListener } from "node:http";
import type { Session } from "../api/v1alpha1/session.ts";
import type { KubeClient } from "../kube/client.ts";
import { BodyBudget } from "../lib/body-budget.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../telemetry/logger.ts";
import { attemptRequests, type RequestKind } from "./attempts/attempt-requests.ts";
import type { Gatekeeper } from "./attempts/gatekeeper.ts";
import type { AttemptOwner } from "./attempts/owner.ts";
import { SessionRate } from "./attempts/session-rate.ts";
import type { GatewayMetrics } from "./metrics/gateway-metrics.ts";
import { imagesRoute, isImagePath } from "./sessions/images/images-route.ts";
import type { SessionImages } from "./sessions/images/session-images.ts";
import { isMediaPath, mediaUpload } from "./sessions/media/media-upload.ts";
import type { SessionMedia } from "./sessions/media/session-media.ts";
import { isSkillsPath, skillsRoute } from "./skills/skills-route.ts";

interface Deps {
  client: KubeClient;
  clock: Clock;
  logger: Logger;
  release: { sessionsNamespace: string };
  generatedMedia?: boolean | undefined;
}

interface Parts {
  metrics: GatewayMetrics;
  gatekeeper: Gatekeeper<AttemptOwner>;
  /** A build has neither prompts nor skills. */
  ofSessions: Gatekeeper<Session>;
  kinds: readonly RequestKind[];
  images: SessionImages;
  media: SessionMedia;
}

/** Bytes of bodies of all sandboxes that one replica holds at once: 48 MiB, which namespaces share. */
const mostBodyBytes = 50_331_648;

/** Requests of sandboxes over HTTP, each at the route of its path. */
export function routeSandboxRequests(
  { client, clock, logger, release, generatedMedia = false }: Deps,
  { metrics, gatekeeper, ofSessions, kinds, images, media }: Parts,
): RequestListener {
  const rate = new SessionRate(clock);
  const ofASession = { gatekeeper: ofSessions, rate, client, clock, logger, metrics };
  const refused = (): void => metrics.overShare.inc({ budget: "bodies" });
  const bodies = new BodyBudget({ mostBytes: mostBodyBytes, refused });
  const forSkills = skillsRoute({ ...ofASession, namespace: release.sessionsNamespace });
  const forImages = imagesRoute({ ...ofASession, images });
  const ofMedia = mediaUpload({ ...ofASession, bodies, media, isEnabled: generatedMedia });
  const others = attemptRequests({ gatekeeper, kinds, bodies, rate, clock, logger, metrics });
  return (request, response) => {
    const { url = "" } = request;
    if (isSkillsPath(url)) forSkills(request, response);
    else if (isImagePath(url)) forImages(request, response);
    else if (isMediaPath(url)) ofMedia(request, response);
    else others(request, response);
  };
}
