import type { AttemptId } from "./attempts/attempt.ts";
import type { IncomingMessage } from "node:http";
import type { Registry } from "prom-client";
import { sandboxAudience } from "../api/runtime/pod-contract.ts";
import type { BlobStore } from "../blobs/blob-store.ts";
import type { KubeClient } from "../kube/client.ts";
import { EventRecorder } from "../kube/event-recorder.ts";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { KubeMetrics } from "../telemetry/kube-metrics.ts";
import type { Logger } from "../telemetry/logger.ts";
import { keepArchive, type KeptArchive } from "./keep-archive.ts";
import type { BlobBudgets } from "./blobs/blob-budgets.ts";
import { EventUsage } from "./blobs/event-usage.ts";
import { collectBlobs } from "./blobs/blob-collector.ts";
import { BlobUsage } from "./blobs/blob-usage.ts";
import { type Certificate, endMsOf, followCertificate } from "./http/certificate.ts";
import { SessionImages } from "./sessions/images/session-images.ts";
import { defineGatewayMetrics, type GatewayMetrics } from "./metrics/gateway-metrics.ts";
import { makeHub } from "./make-hub.ts";
import { routeSandboxRequests } from "./route-sandbox-requests.ts";
import { ReplicaIdentity } from "./replicas/identity.ts";
import { OwnLease } from "./replicas/own-lease.ts";
import { followAutomations } from "./automations/automation-view.ts";
import { createRestApi, type Patience } from "./api/rest-api.ts";
import { isOver } from "./attempts/admission.ts";
import { ChildSessions } from "./children/child-sessions.ts";
import { Bundles } from "./attempts/bundles.ts";
import { SessionMedia } from "./sessions/media/session-media.ts";
import { CredentialRequests } from "./credentials/credential-requests.ts";
import { type GitHubSettings, TokenMint } from "./credentials/token-mint.ts";
import { followPools } from "./attempts/pool-view.ts";
import { judgeWaiting } from "./attempts/waiting-gatekeeper.ts";
import { forgetOldEvents } from "./events/old-events.ts";
import { Gatekeeper } from "./attempts/gatekeeper.ts";
import { WaitingRoom } from "./runtimes/waiting-room.ts";
import { createSandboxServer } from "./runtimes/sandbox-server.ts";
import type { SharedBudget } from "./metrics/shared-budgets.ts";
import { defineBlobMetrics } from "./metrics/blob-metrics.ts";
import { defineServingMetrics } from "./metrics/serving-metrics.ts";
import { followOwners } from "./attempts/owner-view.ts";
import { followSessions } from "./attempts/session-view.ts";
import { addressOf, connectToReplica } from "./replicas/replicas.ts";
import { Streams } from "./runtimes/streams.ts";
import { mostConnections } from "./http/tls-server.ts";
import { TokenReviews } from "./http/token-reviews.ts";

export interface GatewayLimits {
  /** Concurrent connections to the sandbox port that were not admitted (yet), of one address. */
  connectionsPerAddress: number;
  /** Concurrent streams to the sandboxes of one namespace. */
  streamsPerNamespace: number;
  /** Concurrent connections to the port of people, of one address. */
  peopleConnectionsPerAddress: number;
}

export interface GatewayDeps {
  client: KubeClient;
  /** For reviews of tokens and of access, with connections of its own; by default the same. */
  reviewsClient?: Pick<KubeClient, "create"> | undefined;
  /** For this replica's own Lease and that of the archive, with connections that nothing else waits for; by default the same. */
  leaseClient?: KubeClient | undefined;
  /** For Leases of attempts, which a renewal of the own one may wait for; by default the same. */
  attemptLeaseClient?: KubeClient | undefined;
  blobs: BlobStore;
  blobBudgets: BlobBudgets;
  clock: Clock;
  random: Random;
  logger: Logger;
  registry: Registry;
  /** Counts what happens to caches, and Events that were dropped. */
  metrics?: KubeMetrics | undefined;
  release: { name: string; namespace: string; keysNamespace: string; sessionsNamespace: string };
  /** Namespaces whose sessions and automations are served; none = all of the cluster. */
  watchNamespaces?: readonly string[] | undefined;
  podName: string;
  /** UID of this replica's Pod, so that its Lease goes with it. */
  podUid?: string | undefined;
  /** IP address of this replica's Pod, where other replicas and runtimes connect to it; absent outside a cluster. */
  podIp?: string | undefined;
  /** 0: any free port. */
  sandboxPort: number;
  /** 0: any free port. */
  peoplePort: number;
  /** Base URL of webhook paths. */
  deliveryBaseUrl: string;
  /** What one address or namespace may have of this replica. */
  limits: GatewayLimits;
  /** Absent where no history is kept beyond the cluster. The database is closed with the gateway. */
  archive?: KeptArchive | undefined;
  github: GitHubSettings;
  /** Lower-case names of request headers that pass through tunnels beside the usual ones. */
  tunnelRequestHeaders: readonly string[];
  /** Whether agents may attach files to their answers; left out, they may not. */
  generatedMedia?: boolean | undefined;
  /** Time limits of REST requests. */
  patience?: Patience | undefined;
}

export interface RunningGateway {
  readonly ports: { sandbox: number; people: number };
  /** Why requests cannot be served now; undefined when they can. */
  notReadyBecause(): string | undefined;
  /** Disconnects the runtimes, which reconnect to other replicas, lets requests finish, and stops. */
  close(): Promise<void>;
}

/** Milliseconds that requests have to finish when the gateway stops. */
const closeGraceMs = 5_000;

/**
 * Starts one gateway replica. It listens at once, but until the controller has created the certificate every handshake
 * fails and the replica is not ready. Rejects when it cannot listen on a port.
 */
export async function startGateway(deps: GatewayDeps): Promise<RunningGateway> {
  const { client, clock, random, logger, release, podName } = deps;
  const stop = new AbortController();
  const metrics: GatewayMetrics = defineGatewayMetrics(deps.registry, () => hub.size);
  const caching = { client, clock, random, log: logger, metrics: deps.metrics };
  const sessions = followSessions(caching, deps.watchNamespaces);
  const owners = followOwners(caching, sessions, deps.watchNamespaces);
  const pools = followPools(caching, deps.watchNamespaces);
  // Each port has its own limit, so that a flood on one leaves the other usable.
  const overShare = (budget: SharedBudget) => (): void => metrics.overShare.inc({ budget });
  const { reviewsClient = client } = deps;
  const reviews = {
    // A pod may be newer than an API server's view of it, and its runtime tries again each second.
    sandboxes: new TokenReviews({ client: reviewsClient, clock, rememberMs: 1_000 }),
    api: new TokenReviews({ client: reviewsClient, clock, rememberMs: 10_000, refused: overShare("tokenReviews") }),
  };
  const streams = new Streams({
    clock,
    random,
    address: () => deps.podIp && addressOf(deps.podIp, sandboxes.port()),
    namespaceOf: (uid) => owners.byUid(uid)?.metadata.namespace ?? "",
    perNamespace: deps.limits.streamsPerNamespace,
    refused: overShare("streams"),
    flooded: () => metrics.refusals.inc({ reason: "Flooding" }),
    used: (attempt) => leases.used(attempt),
  });
  const identity = new ReplicaIdentity(podName, random);
  const eventUsage = new EventUsage(deps.blobBudgets.events ?? {});
  const usage = new BlobUsage({
    blobs: deps.blobs,
    budgets: deps.blobBudgets,
    events: eventUsage,
    refused: (bound) => metrics.noRoom.inc({ bound }),
  });
  defineBlobMetrics(deps.registry, () => ({ ...usage.total, events: eventUsage.total }));
  const { hub, saves, leases } = makeHub(deps, { metrics, sessions, owners, streams, identity, usage, eventUsage });
  const room = new WaitingRoom({
    clock,
    logger,
    metrics,
    sessionOfPod: (podUid) => sessions.bySandboxPod(podUid),
    changed: () => ownLease.waitingChanged(stop.signal),
  });
  const ownLease = new OwnLease({
    ...deps,
    client: deps.leaseClient ?? client,
    identity,
    waitingPods: () => room.pods,
    beforeRenewal: () => leases.noteSilence(),
    lapsed: () => {
      leases.drop();
      hub.close("tryAgain");
      room.close("tryAgain");
    },
  });
  owners.onChange((uid) => {
    hub.sessionChanged(uid);
    room.sessionChanged(sessions.byUid(uid));
    saves.ownerChanged(uid);
    const owner = owners.byUid(uid);
    streams.end(uid, (attempt) => !owner || isOver(owner, attempt));
  });

  const admission = { reviews: reviews.sandboxes, audience: sandboxAudience(release) };
  const gatekeeper = new Gatekeeper({ ...admission, owner: (uid) => owners.byUid(uid) });
  const ofSessions = new Gatekeeper({ ...admission, owner: (uid) => sessions.byUid(uid) });
  const events = new EventRecorder(caching, {
    reportingController: "runwright.dev/gateway",
    reportingInstance: podName,
  });
  const images = new SessionImages({ ...deps, usage });
  const media = new SessionMedia({ ...deps, usage });
  const children = new ChildSessions({ client, clock, random, logger, sessions, images, events, metrics });
  const credentials = new CredentialRequests({
    apps: new Bundles({ client, namespace: release.sessionsNamespace }),
    mint: new TokenMint({ ...deps.github, clock }),
    clock,
    logger,
  });
  const kinds = [children, credentials];
  const requests = routeSandboxRequests(deps, { metrics, gatekeeper, ofSessions, kinds, images, media });
  const waiting = {
    room,
    judge: (request: Pick<IncomingMessage, "url" | "headers">) =>
      judgeWaiting(
        {
          ...admission,
          namespaceOfPod: (uid) => pools.namespaceOfPod(uid) ?? sessions.bySandboxPod(uid)?.metadata.namespace,
        },
        request,
      ),
  };
  const isLive = (): boolean => ownLease.isLive;
  const sandboxes = createSandboxServer({
    ...deps,
    ...deps.limits,
    gatekeeper,
    hub,
    streams,
    waiting,
    metrics,
    isLive,
    requests,
  });
  const automations = followAutomations(caching, deps.watchNamespaces);
  const tunnels = {
    streams,
    toReplica: (target: AttemptId, signal: AbortSignal) => connectToReplica(deps, target, signal),
    runtime: (target: AttemptId) => hub.runtime(target),
    requestHeaders: deps.tunnelRequestHeaders,
  };
  const reviewed = { events, reviews: reviews.api, reviewsClient, signal: stop.signal };
  const api = createRestApi({
    ...deps,
    metrics,
    sessions,
    owners,
    isSandboxPod: (podUid) =>
      sessions.isSandboxPod(podUid) || owners.isBuildPod(podUid) || pools.namespaceOfPod(podUid) !== undefined,
    images,
    media,
    automations,
    tunnels,
    connectionsPerAddress: deps.limits.peopleConnectionsPerAddress,
    ...reviewed,
  });
  await Promise.all([sandboxes.listen(deps.sandboxPort), api.listen(deps.peoplePort)]);
  let certificateEndMs: number | undefined;
  const use = (certificate: Certificate): void => {
    sandboxes.use(certificate);
    api.use(certificate);
    certificateEndMs = endMsOf(certificate);
  };
  defineServingMetrics(deps.registry, {
    connections: async () => ({ sandbox: await sandboxes.connections(), people: await api.connections() }),
    mostConnections,
    certificateEndMs: () => certificateEndMs,
  });
  const background = [
    followCertificate({ client, clock, logger, namespace: release.sessionsNamespace }, use, stop.signal),
    ownLease.keep(deps.podIp && addressOf(deps.podIp, api.port()), stop.signal),
    collectBlobs({ ...deps, owners, usage, forgetOldEvents: (image) => forgetOldEvents(deps, image) }, stop.signal),
    ...(deps.archive ? [keepArchive(deps, deps.archive, stop.signal)] : []),
  ];

  return {
    ports: { sandbox: sandboxes.port(), people: api.port() },
    notReadyBecause: () => {
      if (!owners.hasSynced) return "sessions and prebuilt images are not known yet";
      if (!pools.hasSynced) return "sandbox pools are not known yet";
      if (!automations.hasSynced) return "automations are not known yet";
      return certificateEndMs === undefined ? "the certificate is not there yet" : undefined;
    },
    async close() {
      stop.abort();
      hub.close("goingAway");
      room.close("goingAway");
      streams.close();
      await Promise.all([
        sandboxes.close(closeGraceMs),
        api.close(closeGraceMs),
        sessions.stop(),
        owners.stop(),
        automations.stop(),
        pools.stop(),
        ...background,
      ]);
      await deps.archive?.database.destroy();
      await events.flush(closeGraceMs);
    },
  };
}
