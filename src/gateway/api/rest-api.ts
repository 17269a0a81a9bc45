import { peopleAudience, sandboxAudience } from "../../api/runtime/pod-contract.ts";
import type { BlobStore } from "../../blobs/blob-store.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { EventRecorder } from "../../kube/event-recorder.ts";
import { BodyBudget } from "../../lib/body-budget.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { SessionImages } from "../sessions/images/session-images.ts";
import type { GatewayMetrics } from "../metrics/gateway-metrics.ts";
import type { OwnerView } from "../attempts/owner-view.ts";
import type { SessionView } from "../attempts/session-view.ts";
import type { TlsServer } from "../http/tls-server.ts";
import { type TunnelDeps, Tunnels } from "../tunnels/tunnels.ts";
import type { TokenReviews } from "../http/token-reviews.ts";
import { archiveHandlers } from "../archive/handlers.ts";
import { RunHistory } from "../archive/lists/run-history.ts";
import type { Database } from "../archive/open-archive.ts";
import { archiveReads } from "../archive/read-archive.ts";
import { Audit } from "../http/audit.ts";
import type { AutomationView } from "../automations/automation-view.ts";
import { callerHandlers } from "../http/caller-operations.ts";
import { Callers } from "../http/callers.ts";
import { eventRoutes } from "../events/session-events.ts";
import { Firings } from "../automations/firings.ts";
import { automationHandlers } from "../automations/handlers.ts";
import { Keys } from "../automations/keys.ts";
import { Pauses } from "../automations/pauses.ts";
import { createApiServer } from "./api-server.ts";
import { operations } from "./openapi.ts";
import { apiRouter } from "../http/router.ts";
import { LongLists } from "../http/long-lists.ts";
import { imageRoutes } from "../sessions/images/image-upload.ts";
import { mediaRoutes } from "../sessions/media/media-download.ts";
import type { SessionMedia } from "../sessions/media/session-media.ts";
import { sessionHandlers } from "../sessions/handlers.ts";
import { PromptEnds } from "../sessions/prompt-ends.ts";
import { PromptRequests } from "../sessions/prompt-requests.ts";
import { pullRequestHandlers } from "../sessions/pull-requests/handlers.ts";
import { PullRequestRequests } from "../sessions/pull-requests/pull-request-requests.ts";

/** Time limits of a request, in milliseconds. */
export interface Patience {
  /** For all requests to the API server; after that the answer is 503. */
  answerMs: number;
  /** Of that, for the controller's decision about a Run or a Prompt; after that the answer is 202. */
  decisionMs: number;
}

const usualPatience: Patience = { answerMs: 2_700, decisionMs: 1_500 };

interface RestApiDeps {
  client: KubeClient;
  /** For reviews of access. */
  reviewsClient: Pick<KubeClient, "create">;
  clock: Clock;
  random: Random;
  logger: Logger;
  metrics: GatewayMetrics;
  release: { name: string; namespace: string; keysNamespace: string };
  watchNamespaces?: readonly string[] | undefined;
  deliveryBaseUrl: string;
  sessions: Pick<SessionView, "list" | "byName" | "byUid" | "childrenOf" | "hasSynced">;
  owners: Pick<OwnerView, "imageByName">;
  /** Whether a pod is a sandbox: a session's, a build's or one that waits in a pool. */
  isSandboxPod: (podUid: string) => boolean;
  tunnels: Pick<TunnelDeps, "streams" | "toReplica" | "runtime" | "requestHeaders">;
  blobs: Pick<BlobStore, "get" | "list">;
  images: SessionImages;
  media: SessionMedia;
  automations: AutomationView;
  /** Absent where the release keeps no archive. */
  archive?: { database: Database } | undefined;
  events: Pick<EventRecorder, "record">;
  reviews: TokenReviews;
  patience?: Patience | undefined;
  /** Ends event streams when the gateway stops. */
  signal: AbortSignal;
  /** Concurrent connections of one remote address. */
  connectionsPerAddress: number;
}

/** Assembles the REST API. */
export function createRestApi(deps: RestApiDeps): TlsServer {
  const { client, clock, random, logger, metrics, release, deliveryBaseUrl, sessions, images, automations, events } =
    deps;
  const { answerMs, decisionMs } = deps.patience ?? usualPatience;
  const audiences = { people: peopleAudience(release), sandbox: sandboxAudience(release) };
  const reviewRefused = (): void => metrics.overShare.inc({ budget: "accessReviews" });
  const callers = new Callers({ ...deps, client: deps.reviewsClient, audiences, refused: reviewRefused });
  const audit = new Audit({ events, logger });
  const lists = new LongLists(client, metrics);
  const reads = archiveReads(() => metrics.overShare.inc({ budget: "archive" }));
  const ofAutomations = automationHandlers({
    client,
    callers,
    automations,
    lists,
    pauses: new Pauses({ client, clock, callers, audit }),
    firings: new Firings({ client, clock, random, lists, audit, decisionMs }),
    keys: new Keys({ client, clock, random, audit, namespace: release.keysNamespace }),
    history: deps.archive && new RunHistory({ ...deps.archive, clock, logger, reads }),
    random,
    deliveryBaseUrl,
  });
  const ofSessions = sessionHandlers({
    client,
    callers,
    sessions,
    lists,
    requests: new PromptRequests({ client, clock, random, metrics, sessions, lists, images, audit, decisionMs }),
    ends: new PromptEnds({ client, clock, audit, decisionMs }),
  });
  const ofPullRequests = pullRequestHandlers({
    client,
    clock,
    pullRequests: new PullRequestRequests({ client, clock, lists, audit, decisionMs }),
  });
  const ofArchive = archiveHandlers({ ...deps, reads });
  const handlers = { ...callerHandlers, ...ofAutomations, ...ofSessions, ...ofPullRequests, ...ofArchive };
  const refused = (): void => metrics.overShare.inc({ budget: "bodies" });
  const routeDeps = { ...deps, callers, budgetMs: answerMs, bodies: new BodyBudget({ refused }) };
  const router = apiRouter(routeDeps, operations, handlers);
  router.use(eventRoutes(routeDeps), imageRoutes({ ...routeDeps, lists }), mediaRoutes(routeDeps));
  const tunnels = new Tunnels({ ...routeDeps, ...deps.tunnels });
  return createApiServer({ ...deps, tunnels, router });
}
