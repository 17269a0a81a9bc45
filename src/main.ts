import { KubeConfig } from "@kubernetes/client-node";
import { collectDefaultMetrics, Registry } from "prom-client";
import { openBlobStore } from "./blobs/open-blob-store.ts";
import { BlobSettingError } from "./blobs/s3-problem.ts";
import { type CommonConfig, processNames, type ProcessName, readCommonConfig } from "./config/common.ts";
import { readConnectorConfig } from "./config/connector.ts";
import { readControllerConfig } from "./config/controller.ts";
import { readIngressConfig } from "./config/ingress.ts";
import { readGatewayConfig } from "./config/gateway.ts";
import { ConfigError } from "./config/config-error.ts";
import { runConnector } from "./connector/run-connector.ts";
import { runControllers } from "./controllers/run-controllers.ts";
import { openArchive, volumeBytesOf } from "./gateway/archive/open-archive.ts";
import { archiveBoundsOf } from "./gateway/archive/trim/archive-bounds.ts";
import { startGateway } from "./gateway/start-gateway.ts";
import { runIngress } from "./ingress/run-ingress.ts";
import { accessFrom } from "./kube/access.ts";
import { KubeClient } from "./kube/client.ts";
import { HttpTransport } from "./kube/http-transport.ts";
import { pageFiles } from "./page-server/page-files.ts";
import { type Clock, systemClock } from "./lib/clock.ts";
import { type Random, systemRandom } from "./lib/random.ts";
import { defineTraceMetrics } from "./telemetry/bounded-spans.ts";
import { defineKubeMetrics, type KubeMetrics } from "./telemetry/kube-metrics.ts";
import { policyRefusalHooks } from "./kube/policy-refusal-hooks.ts";
import { createLogger, type Logger } from "./telemetry/logger.ts";
import { startObservabilityServer } from "./telemetry/observability-server.ts";
import { startTracing, type Tracing } from "./telemetry/tracing.ts";
import { readTracingConfig } from "./config/tracing.ts";
import { readWebConfig } from "./config/web.ts";
import { startWeb } from "./web/start-web.ts";

/** What each process is started with. */
interface Parts extends CommonConfig {
  client: KubeClient;
  clock: Clock;
  random: Random;
  logger: Logger;
  registry: Registry;
  metrics: KubeMetrics;
  /** Absent where traces are not wanted. */
  tracing?: Tracing | undefined;
}

/** One of the processes while it runs. */
interface RunningProcess {
  notReadyBecause(): string | undefined;
  /** Finishes what is under way. */
  close(): Promise<void>;
  /** Resolves when the process must end by itself. */
  ended?: Promise<unknown>;
}

/** Connections to the API server: the ingress keeps 8 of them free for reads beside 24 creates of Runs, 8 of events and 4 logs. */
const connections = { controller: 32, ingress: 44, gateway: 16, connector: 16 } as const satisfies Record<
  ProcessName,
  number
>;
const electionConnections = 2;
/** Who floods a gateway with tokens must not delay what it writes, and no work of tenants the renewal of its own Lease. */
const gatewayConnections = { reviews: 16, leases: 2, attemptLeases: 8 } as const;

const starters: Record<ProcessName, (parts: Parts) => RunningProcess | Promise<RunningProcess>> = {
  controller: (parts) =>
    runControllers({
      ...parts,
      ...readControllerConfig(process.env, parts.release),
      electionConnection: connect("controller", electionConnections, parts),
    }),
  async gateway(parts) {
    const config = readGatewayConfig(process.env, parts.release);
    const blobs = await openBlobStore(config.blobStore, { ...parts, log: parts.logger });
    const database = await openArchive(config.archive, parts.logger);
    const bounds = async () => archiveBoundsOf(config.archiveBudgets, await volumeBytesOf(config.archive));
    const archive = database && { database, retentionDays: config.archiveRetentionDays, bounds };
    const reviews = connect("gateway", gatewayConnections.reviews, parts);
    const leases = connect("gateway", gatewayConnections.leases, parts);
    const attemptLeases = connect("gateway", gatewayConnections.attemptLeases, parts);
    const clients = {
      reviewsClient: reviews.client,
      leaseClient: leases.client,
      attemptLeaseClient: attemptLeases.client,
    };
    const gateway = await startGateway({ ...parts, ...config, ...clients, blobs, archive });
    const close = async (): Promise<void> => {
      await gateway.close();
      await Promise.all([reviews, leases, attemptLeases].map((own) => own.close()));
    };
    return { ...gateway, close };
  },
  connector: (parts) =>
    runConnector({
      ...parts,
      ...readConnectorConfig(process.env),
      electionConnection: connect("connector", electionConnections, parts),
    }),
  ingress: (parts) => runIngress({ ...parts, ...readIngressConfig(process.env) }),
};

async function run(name: ProcessName): Promise<void> {
  const config = readCommonConfig(process.env);
  const logger = createLogger({ process: name, level: config.logLevel });
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const metrics = defineKubeMetrics(registry);
  const { client, close } = connect(name, connections[name], { ...config, logger, metrics });

  const stopping = untilStopped();
  const tracing = startProcessTracing(name, config.podName, registry);
  const ports = { clock: systemClock, random: systemRandom };
  const started = await starters[name]({ ...config, ...ports, client, logger, registry, metrics, tracing });
  await serveUntil(stopping, { started, observabilityPort: config.observabilityPort, registry, logger });
  await tracing?.close();
  await close();
}

/** Shows health and metrics of a process until it is asked to stop or ends by itself; finishes what is under way. */
async function serveUntil(
  stopping: Promise<string>,
  {
    started,
    observabilityPort: port,
    registry,
    logger,
  }: { started: RunningProcess; observabilityPort: number; registry: Registry; logger: Logger },
): Promise<void> {
  const notReadyBecause = (): string | undefined => started.notReadyBecause();
  const observability = await startObservabilityServer({ port, registry, notReadyBecause });
  logger.info({ observabilityPort: observability.port }, "Started process");
  const cause = await Promise.race([stopping, started.ended ?? stopping]);
  logger.info({ cause }, "Stopping process");
  await started.close();
  await observability.close();
}

function untilStopped(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => resolve(signal));
  });
}

/** Gateway and connector make no spans; the others export theirs where a receiver is configured. */
function startProcessTracing(name: ProcessName, instance: string, registry: Registry): Tracing | undefined {
  if (name === "gateway" || name === "connector") return undefined;
  const config = readTracingConfig(process.env);
  const metrics = defineTraceMetrics(registry);
  return config && startTracing(config, { process: name, instance, clock: systemClock, metrics });
}

/** A client on connections of its own, with the pod's credentials or those of a kubeconfig. */
function connect(
  name: ProcessName,
  size: number,
  parts: Pick<Parts, "release" | "logger" | "metrics">,
): { client: KubeClient; close: () => Promise<void> } {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromDefault();
  const transport = new HttpTransport({ access: accessFrom(kubeConfig), clock: systemClock, size });
  const client = new KubeClient({
    transport,
    clock: systemClock,
    fieldManager: `runwright-${name}`,
    hooks: [policyRefusalHooks(parts)],
  });
  return { client, close: () => transport.close() };
}

/** The process without rights in the cluster; it has no client and no name there. */
async function runWeb(): Promise<void> {
  const config = readWebConfig(process.env);
  const logger = createLogger({ process: "web", level: config.logLevel });
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const stopping = untilStopped();
  const ports = { clock: systemClock, random: systemRandom };
  const started = await startWeb({ config, files: pageFiles(), ...ports, logger, registry });
  await serveUntil(stopping, { started, observabilityPort: config.observabilityPort, registry, logger });
}

const runners: Readonly<Record<string, () => Promise<void>>> = {
  ...Object.fromEntries(processNames.map((name) => [name, () => run(name)])),
  web: runWeb,
};

function runnerOf(argument = ""): () => Promise<void> {
  const runner = Object.hasOwn(runners, argument) ? runners[argument] : undefined;
  if (runner) return runner;
  throw new ConfigError(
    "the first argument",
    process.argv[2],
    `it must be one of ${Object.keys(runners).join(", ")}`,
    "it has no default",
  );
}

try {
  await runnerOf(process.argv[2])();
} catch (error) {
  // Before anything runs there is no logger, and a person reads this.
  const isForPeople = error instanceof ConfigError || error instanceof BlobSettingError;
  process.stderr.write(`runwright: ${isForPeople ? error.message : String((error as Error).stack)}\n`);
  process.exitCode = 1;
}
