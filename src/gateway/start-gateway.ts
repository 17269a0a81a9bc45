import type { AttemptId } from "./attempts/attempt.ts";
import type { RequestListener } from "node:http";
import type { Registry } from "prom-client";
import { sandboxAudience } from "../api/runtime/pod-contract.ts";
import type { BlobStore } from "../blobs/blob-store.ts";
import type { Session } from "../api/v1alpha1/session.ts";
import { rootOf } from "../domain/children/parent.ts";
import { costLimitOf } from "../domain/costs/limit.ts";
import type { KubeClient } from "../kube/client.ts";
import { EventRecorder } from "../kube/event-recorder.ts";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { KubeMetrics } from "../telemetry/kube-metrics.ts";
import type { Logger } from "../telemetry/logger.ts";
import { ArchiveKeeper } from "./archive/archive-keeper.ts";
import { ArchiveStore } from "./archive/archive-store.ts";
import type { Database } from "./archive/open-archive.ts";
import type { BlobBudgets } from "./blobs/blob-budgets.ts";
import { collectBlobs } from "./blobs/blob-collector.ts";
import { BlobUsage } from "./blobs/blob-usage.ts";
import { type Certificate, endMsOf, followCertificate } from "./http/certificate.ts";
import { SessionImages } from "./sessions/images/session-images.ts";
import { defineGatewayMetrics, type GatewayMetrics } from "./metrics/gateway-metrics.ts";
import { ReplicaIdentity } from "./replicas/identity.ts";
import { OwnLease } from "./replicas/own-lease.ts";
import { followAutomations } from "./automations/automation-view.ts";
import { createRestApi, type Patience } from "./api/rest-api.ts";
import { isOver } from "./attempts/admission.ts";
import { attemptRequests } from "./attempts/attempt-requests.ts";
import { ChildSessions } from "./children/child-sessions.ts";
import { Bundles } from "./attempts/bundles.ts";
import { imagesRoute, isImagePath } from "./sessions/images/images-route.ts";
import { isSkillsPath, skillsRoute } from "./skills/skills-route.ts";
import { CredentialRequests } from "./credentials/credential-requests.ts";
import { type GitHubSettings, TokenMint } from "./credentials/token-mint.ts";
import { Journal } from "./events/journal.ts";
import { Gatekeeper } from "./attempts/gatekeeper.ts";
import { Hub } from "./runtimes/hub.ts";
import { AttemptLeases } from "./attempts/leases.ts";
import { Prompts } from "./runtimes/prompts.ts";
import { createSandboxServer } from "./runtimes/sandbox-server.ts";
import { defineBlobMetrics } from "./metrics/blob-metrics.ts";
import { defineArchiveMetrics } from "./metrics/archive-metrics.ts";
import { defineServingMetrics } from "./metrics/serving-metrics.ts";
import type { AttemptOwner } from "./attempts/owner.ts";
import { followOwners, type OwnerView } from "./attempts/owner-view.ts";
import { followSessions, type SessionView } from "./attempts/session-view.ts";
import { addressOf, connectToReplica } from "./replicas/replicas.ts";
import { type ConnectedRuntime, Streams } from "./runtimes/streams.ts";
import { Archives } from "./snapshots/archives.ts";
import { Restores } from "./snapshots/restores.ts";
import { Saves } from "./snapshots/saves.ts";
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
  blobs: BlobStore;
  blobBudgets: BlobBudgets;
  clock: Clock;
  random: Random;
  logger: Logger;
  registry: Registry;
  /** Counts Events that were dropped. */
  metrics?: Pick<KubeMetrics, "eventDropped"> | undefined;
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
  archive?: { database: Database; retentionDays: number } | undefined;
  github: GitHubSettings;
  /** Lower-case names of request headers that pass through tunnels beside the usual ones. */
  tunnelRequestHeaders: readonly string[];
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
  const caching = { client, clock, random, log: logger };
  const sessions = followSessions(caching, deps.watchNamespaces);
  const owners = followOwners(caching, sessions, deps.watchNamespaces);
  // Each port has its own limit, so that a flood on one leaves the other usable.
  const reviews = { sandboxes: new TokenReviews(client), api: new TokenReviews(client) };
  const streams = new Streams({
    clock,
    random,
    address: () => deps.podIp && addressOf(deps.podIp, sandboxes.port()),
    namespaceOf: (uid) => owners.byUid(uid)?.metadata.namespace ?? "",
    perNamespace: deps.limits.streamsPerNamespace,
  });
  const identity = new ReplicaIdentity(podName, random);
  const usage = new BlobUsage({
    blobs: deps.blobs,
    budgets: deps.blobBudgets,
    refused: (bound) => metrics.noRoom.inc({ bound }),
  });
  defineBlobMetrics(deps.registry, () => usage.total);
  const { hub, saves, leases } = makeHub(deps, { metrics, sessions, owners, streams, identity, usage });
  const ownLease = new OwnLease({
    ...deps,
    identity,
    beforeRenewal: () => leases.noteSilence(),
    lapsed: () => {
      leases.drop();
      hub.close("tryAgain");
    },
  });
  owners.onChange((uid) => {
    hub.sessionChanged(uid);
    saves.ownerChanged(uid);
    const owner = owners.byUid(uid);
    streams.end(uid, (attempt) => !owner || isOver(owner, attempt));
  });

  const admission = { reviews: reviews.sandboxes, audience: sandboxAudience(release) };
  const gatekeeper = new Gatekeeper({ ...admission, owner: (uid) => owners.byUid(uid) });
  // A build has neither prompts nor skills.
  const ofSessions = new Gatekeeper({ ...admission, owner: (uid) => sessions.byUid(uid) });
  const events = new EventRecorder(
    { ...caching, metrics: deps.metrics },
    { reportingController: "runwright.dev/gateway", reportingInstance: podName },
  );
  const images = new SessionImages({ ...deps, usage });
  const children = new ChildSessions({ client, clock, random, logger, sessions, images, events });
  const credentials = new CredentialRequests({
    apps: new Bundles({ client, namespace: release.sessionsNamespace }),
    mint: new TokenMint({ ...deps.github, clock }),
    clock,
    logger,
  });
  const kinds = [children, credentials];
  const requestsOfAttempts = attemptRequests({ gatekeeper, kinds, clock, logger, metrics });
  const requestsForImages = imagesRoute({ gatekeeper: ofSessions, images, logger, metrics });
  const requestsForSkills = skillsRoute({
    gatekeeper: ofSessions,
    client,
    namespace: release.sessionsNamespace,
    logger,
    metrics,
  });
  const requests: RequestListener = (request, response) => {
    const { url = "" } = request;
    if (isSkillsPath(url)) requestsForSkills(request, response);
    else if (isImagePath(url)) requestsForImages(request, response);
    else requestsOfAttempts(request, response);
  };
  const isLive = (): boolean => ownLease.isLive;
  const sandboxes = createSandboxServer({
    ...deps,
    ...deps.limits,
    gatekeeper,
    hub,
    streams,
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
  const reviewed = { events, reviews: reviews.api, signal: stop.signal };
  const api = createRestApi({
    ...deps,
    metrics,
    sessions,
    images,
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
    collectBlobs({ ...deps, owners, usage }, stop.signal),
    ...(deps.archive ? [keepArchive(deps, deps.archive, stop.signal)] : []),
  ];

  return {
    ports: { sandbox: sandboxes.port(), people: api.port() },
    notReadyBecause: () => {
      if (!owners.hasSynced) return "sessions and prebuilt images are not known yet";
      if (!automations.hasSynced) return "automations are not known yet";
      return certificateEndMs === undefined ? "the certificate is not there yet" : undefined;
    },
    async close() {
      stop.abort();
      hub.close("goingAway");
      streams.close();
      await Promise.all([
        sandboxes.close(closeGraceMs),
        api.close(closeGraceMs),
        sessions.stop(),
        owners.stop(),
        automations.stop(),
        ...background,
      ]);
      await deps.archive?.database.destroy();
      await events.flush(closeGraceMs);
    },
  };
}

function keepArchive(
  deps: GatewayDeps,
  { database, retentionDays }: NonNullable<GatewayDeps["archive"]>,
  signal: AbortSignal,
): Promise<void> {
  const { client, clock, random, logger, registry, release, podName, watchNamespaces = [] } = deps;
  const keeper = new ArchiveKeeper({
    client,
    clock,
    random,
    log: logger,
    store: new ArchiveStore(database, clock),
    namespaces: watchNamespaces,
    retentionDays,
    release,
    identity: `${podName}_${random.uuid()}`,
  });
  defineArchiveMetrics(registry, () => keeper.behindMs());
  return keeper.run(signal);
}

function makeHub(
  { client, blobs, clock, random, logger, release }: GatewayDeps,
  {
    metrics,
    sessions,
    owners,
    streams,
    identity,
    usage,
  }: {
    metrics: GatewayMetrics;
    sessions: SessionView;
    owners: OwnerView;
    streams: Streams;
    identity: ReplicaIdentity;
    usage: BlobUsage;
  },
): { hub: Hub; saves: Saves; leases: AttemptLeases } {
  const namespace = release.sessionsNamespace;
  const bundles = new Bundles({ client, namespace });
  const session = (uid: string): Session | undefined => sessions.byUid(uid);
  const owner = (uid: string): AttemptOwner | undefined => owners.byUid(uid);
  const goesOn = ({ sessionUid, attempt }: AttemptId): boolean => {
    const found = owner(sessionUid);
    return found !== undefined && !isOver(found, attempt);
  };
  const leases = new AttemptLeases({ client, bundles, clock, logger, namespace, identity, goesOn });
  const runtime = (target: AttemptId): ConnectedRuntime | undefined => hub.runtime(target);
  const archives = new Archives({ blobs, usage, random, logger });
  const workspaces = { clock, logger, archives, streams, owner, runtime };
  const restores = new Restores({ ...workspaces, leases });
  const hub = new Hub({
    clock,
    logger,
    metrics,
    bundles,
    leases,
    prompts: new Prompts({ client, clock }),
    openJournal: (user) => new Journal({ store: blobs, clock, writer: random.bytes(4).toString("hex") }, user),
    restore: (attempt) => restores.begin(attempt),
    hasCostLimit: (uid) => {
      const found = session(uid);
      return found !== undefined && costLimitOf(rootOf(found, (above) => session(above.uid))) !== "";
    },
    session: owner,
  });
  return { hub, saves: new Saves({ ...workspaces, leases }), leases };
}
