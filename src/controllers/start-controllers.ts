import { conditionTypes, controllerLeaseName } from "../api/v1alpha1/names.ts";
import type { OperatorSettings } from "../domain/settings/execution-timeout.ts";
import type { KubeClient } from "../kube/client.ts";
import type { Controller } from "../kube/controller.ts";
import { EventRecorder } from "../kube/event-recorder.ts";
import type { InformerDeps } from "../kube/informer.ts";
import { lead } from "../kube/lead.ts";
import { LeaderElection } from "../kube/leader-election.ts";
import { addressesOf } from "./sandbox/start/addresses-of.ts";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { GitHubConfig } from "./sandbox/bundle/github-app.ts";
import { ClusterNetwork } from "./sandbox/network/cluster-network.ts";
import { TenantNamespaces } from "./sandbox/tenant/tenant-namespaces.ts";
import type { KubeMetrics } from "../telemetry/kube-metrics.ts";
import type { Logger } from "../telemetry/logger.ts";
import type { Tracing } from "../telemetry/tracing.ts";
import type { ImageMetrics } from "./metrics/image-metrics.ts";
import type { PoolMetrics } from "./metrics/pool-metrics.ts";
import type { RunMetrics } from "./metrics/run-metrics.ts";
import { ArchiveGuard, archivedPullRequests, archiveLeaseInformer, storedMarkOn } from "./archive-guard.ts";
import { automationController } from "./automation/controller.ts";
import {
  certificateController,
  certificateInformers,
  gatewayAuthorities,
  issuersAuthorities,
} from "./certificates/controller.ts";
import { publicationController } from "./certificates/publication.ts";
import { tenantCollector } from "./namespace/collector/controller.ts";
import { integrationController } from "./integration/controller.ts";
import { namespaceController } from "./namespace/controller.ts";
import { namespaceInformers } from "./namespace/informers.ts";
import { scopeControllers } from "./repository/controller.ts";
import { skillSetController } from "./skill-sets/controller.ts";
import { skillSetLedger, type SkillSetLimits } from "./sandbox/skills/set-ledger.ts";
import { SkillSetUse } from "./sandbox/skills/set-use.ts";
import { orphanController } from "./orphans/controller.ts";
import { runController } from "./run/controller.ts";
import { sessionController } from "./session/controller.ts";
import { podKeysOfClass } from "./sandbox/observe/class-pods.ts";
import { SecretsMacKey } from "./sandbox/images/secrets-mac.ts";
import { imageController } from "./image/controller.ts";
import { poolController } from "./pool/controller.ts";
import { WarmPods } from "./sandbox/pool/warm-pods.ts";
import { prebuildControllers } from "./image/prebuild.ts";
import type { ControllerState } from "./metrics/controller-metrics.ts";
import { countQueued, countStale, imageCounts } from "./metrics/image-counts.ts";
import { countUnclaimed, poolCounts, poolSandboxes } from "./metrics/pool-counts.ts";
import {
  countOverdue,
  countWith,
  fullestClass,
  fullNamespaces,
  pausedCounts,
  queuedSessions,
  unsavedSessions,
} from "./metrics/state-counts.ts";
import type { TunnelConfig } from "./sandbox/start/make-start.ts";
import { sandboxInformers } from "./sandbox/informers.ts";
import { integrationInformers, kindInformers } from "./kind-informers.ts";

export interface ControllersDeps extends SkillSetLimits {
  client: KubeClient;
  /** On connections of its own. */
  electionClient: KubeClient;
  clock: Clock;
  random: Random;
  logger: Logger;
  metrics: KubeMetrics;
  runMetrics: RunMetrics;
  imageMetrics: ImageMetrics;
  poolMetrics: PoolMetrics;
  /** Where traces are wanted. */
  tracing?: Tracing | undefined;
  release: {
    name: string;
    namespace: string;
    keysNamespace: string;
    sessionsNamespace: string;
    tokensNamespace: string;
  };
  /** Namespaces whose objects it works on; none = all of the cluster. */
  watchNamespaces?: readonly string[] | undefined;
  podName: string;
  /** Of this process among the candidates for leadership; never used twice. */
  identity: string;
  /** What the operator sets for all sessions. */
  operator: OperatorSettings;
  tunnels: TunnelConfig;
  github: GitHubConfig;
  /** What senders put before webhook paths; by default nothing is said of it. */
  deliveryBaseUrl?: string | undefined;
  bootTimeoutMs: number;
  sandboxImage: string;
  gatewayUrl: string;
  /** Ranges that sandboxes must not reach as part of the internet, beside those that are found in the cluster. */
  egressExceptCIDRs: readonly string[];
  /** Of the gateway's pods, not of its Service. */
  sandboxPort: number;
  /** Whether the gateway keeps an archive, for which pruning waits; by default not. */
  hasArchive?: boolean | undefined;
  /** Whether the release has a connector; by default not. */
  hasConnector?: boolean | undefined;
  /** Who keeps the gateway's certificate; by default this process. */
  gatewayCertificate?: "self-managed" | "cert-manager" | undefined;
}

export interface RunningControllers extends ControllerState {
  notReadyBecause(): string | undefined;
  /** Lets reconciles under way end and gives the leadership away. */
  close(): Promise<void>;
  /** Resolves when this process led and may no longer be sure that it does: it must end. */
  ended: Promise<string>;
}

/** How long Events that wait may take at the end, in milliseconds. */
const flushMs = 2_000;

/**
 * Starts one controller replica. Every replica keeps the caches warm, so that the next leader begins at once; only the
 * leader works, and only through a client that refuses writes when its lease may have run out.
 */
export function startControllers(deps: ControllersDeps): RunningControllers {
  const { client, clock, random, logger: log, metrics, podName, identity, release } = deps;
  const election = new LeaderElection(
    { client: deps.electionClient, clock, random, log },
    { namespace: release.namespace, name: controllerLeaseName(release.name), identity },
  );
  const fenced = election.fence(client);
  const informers = makeInformers({ client, clock, random, log, metrics }, deps);
  const caches = Object.values(informers);
  const events = new EventRecorder(
    { client: fenced, clock, random, log, metrics },
    { reportingController: "runwright.dev/controller", reportingInstance: podName },
  );
  const network = new ClusterNetwork({ client, clock, configured: deps.egressExceptCIDRs });
  const controllers = makeControllers({ ...deps, client: fenced }, { informers, network }, events);
  for (const cache of caches) cache.start();

  const stop = new AbortController();
  const begin = async (): Promise<void> => {
    // First, as policies depend on it.
    await network.start();
    await Promise.all(controllers.map((controller) => controller.start()));
  };
  return {
    ended: lead(election, { signal: stop.signal, begin, log }),
    pausedAutomations: () => pausedCounts(informers.automations.list()),
    overdueRuns: () => countOverdue(informers.runs.list(), clock.now()),
    fullestClass: () => fullestClass(informers.sandboxClasses.list(), (name) => podKeysOfClass(informers, name).size),
    fullNamespaces: () => fullNamespaces(informers.sandboxClasses.list(), (name) => podKeysOfClass(informers, name)),
    queuedSessions: () => queuedSessions(informers.sessions.list()),
    unsavedSessions: () => unsavedSessions(informers.sessions.list()),
    prebuiltImages: () => imageCounts(informers.prebuiltImages.list()),
    staleImages: () => countStale(informers.prebuiltImages.list(), clock.now()),
    queuedImages: () => countQueued(informers.prebuiltImages.list()),
    sandboxPools: () => poolCounts(informers.sandboxPools.list()),
    poolSandboxes: () => poolSandboxes(informers.sandboxPools.list()),
    unclaimedPools: () => countUnclaimed(informers.sandboxPools.list(), clock.now()),
    invalidSkills: () => countWith(informers.skills.list(), { type: conditionTypes.ready, status: "False" }),
    tooLargeSkillSets: () =>
      countWith([...informers.repositories.list(), ...informers.environments.list()], {
        type: conditionTypes.skillsTooLarge,
        status: "True",
      }),
    isLeading: () => election.isLeading,
    notReadyBecause: () => (caches.every((cache) => cache.hasSynced) ? undefined : "caches are not filled yet"),
    async close() {
      stop.abort();
      network.stop();
      await Promise.all(controllers.map((controller) => controller.stop()));
      await events.flush(flushMs);
      await election.release();
      await Promise.all(caches.map((cache) => cache.stop()));
    },
  };
}

/** All caches; each controller takes those that it needs. */
function makeInformers(
  deps: InformerDeps,
  { release, watchNamespaces: namespaces, hasArchive = false }: ControllersDeps,
) {
  const { sessionsNamespace } = release;
  return {
    ...kindInformers(deps, { namespaces }),
    ...integrationInformers(deps, { namespaces }),
    ...sandboxInformers(deps, { release, sessionsNamespace, namespaces }),
    ...certificateInformers(deps, sessionsNamespace),
    ...namespaceInformers(deps, { release, namespaces }),
    ...(hasArchive && {
      archiveLease: archiveLeaseInformer(deps, release),
      pullRequests: archivedPullRequests(deps, { namespaces }),
    }),
  };
}

function makeControllers(
  deps: ControllersDeps,
  { informers, network }: { informers: ReturnType<typeof makeInformers>; network: ClusterNetwork },
  events: EventRecorder,
): Pick<Controller, "start" | "stop">[] {
  const { client, clock, random, release, logger: log, metrics, operator, bootTimeoutMs, watchNamespaces } = deps;
  const { hasConnector = false } = deps;
  const { keysNamespace, sessionsNamespace } = release;
  const { archiveLease, pullRequests } = informers;
  const archive =
    archiveLease && pullRequests && new ArchiveGuard({ ...informers, pullRequests }, () => storedMarkOn(archiveLease));
  const common = { client, clock, random, log, metrics, events, informers, archive };
  const namespaces = new TenantNamespaces({ client, clock, release, gatewayPort: deps.sandboxPort, network });
  const skillSets = new SkillSetUse(clock, skillSetLedger(deps, informers));
  const isSelfManaged = deps.gatewayCertificate !== "cert-manager";
  const authoritiesOf = isSelfManaged ? gatewayAuthorities : issuersAuthorities;
  const authorities = (): string => authoritiesOf(informers, sessionsNamespace);
  const macKey = new SecretsMacKey({ client, random, sessionsNamespace });
  const start = {
    environment: { release, image: deps.sandboxImage, gatewayUrl: deps.gatewayUrl },
    sessionsNamespace,
    tunnels: deps.tunnels,
    bootTimeoutMs,
  };
  const attempts = {
    ...common,
    namespaces,
    skillSets,
    operator,
    github: deps.github,
    caBundle: authorities,
    gatewayAddresses: () => addressesOf(new URL(deps.gatewayUrl).hostname),
    hasUserNamespaces: () => network.known.hasUserNamespaces,
  };
  const warmPods = new WarmPods({
    pools: (namespace) => informers.sandboxPools.list(namespace),
    pod: (key) => informers.pods.get(key),
    gatewayLeases: () => informers.gatewayLeases.list(),
  });
  const sessions = sessionController({
    ...attempts,
    warmPods,
    poolMetrics: deps.poolMetrics,
    images: {
      images: (namespace) => informers.prebuiltImages.list(namespace),
      macKey,
      defaultImage: deps.sandboxImage,
      log,
    },
    rules: { limits: { executionTimeoutMs: operator.executionTimeoutMs, bootTimeoutMs }, start },
  });
  return [
    automationController({ ...common, keysNamespace, deliveryBaseUrl: deps.deliveryBaseUrl }),
    runController({ ...common, operator, runMetrics: deps.runMetrics, tracing: deps.tracing }),
    sessions,
    imageController({
      ...attempts,
      macKey,
      classPlaces: sessions.places,
      imageMetrics: deps.imageMetrics,
      rules: { limits: { bootTimeoutMs }, start },
    }),
    poolController({
      ...attempts,
      environment: start.environment,
      places: sessions.places,
    }),
    ...prebuildControllers(common),
    ...(isSelfManaged
      ? [
          certificateController({
            ...common,
            namespace: sessionsNamespace,
            dnsNames: gatewayNames(new URL(deps.gatewayUrl).hostname, release),
          }),
        ]
      : []),
    publicationController({ ...common, release, authorities }),
    ...scopeControllers({ ...common, network, operator, github: deps.github }),
    namespaceController({ ...common, namespaces, network }),
    tenantCollector({ ...common, namespaces, release }),
    integrationController({ ...common, release, hasConnector }),
    orphanController({
      ...common,
      release: hasConnector ? release : { keysNamespace, sessionsNamespace },
      watchNamespaces,
    }),
    skillSetController({ ...common, skillSets, watchNamespaces }),
  ];
}

/** All names by which people and runtimes may reach the gateway's Service. */
function gatewayNames(hostname: string, release: ControllersDeps["release"]): string[] {
  const service = `${release.name}-gateway`;
  const qualified = `${service}.${release.namespace}`;
  return [...new Set([hostname, service, qualified, `${qualified}.svc`, `${qualified}.svc.cluster.local`])];
}
