import { randomUUID } from "node:crypto";
import { KubeConfig } from "@kubernetes/client-node";
import { collectDefaultMetrics, Registry } from "prom-client";
import { openBlobStore } from "./blobs/open-blob-store.ts";
import { BlobSettingError } from "./blobs/s3-problem.ts";
import {
  type CommonConfig,
  processNames,
  type ProcessName,
  readCommonConfig,
  readControllerConfig,
  readGatewayConfig,
  readIngressConfig,
} from "./config.ts";
import { ConfigError } from "./config-error.ts";
import { startControllers } from "./controllers/start-controllers.ts";
import { startGateway } from "./gateway/start-gateway.ts";
import { startIngress } from "./ingress/start-ingress.ts";
import { accessFrom } from "./kube/access.ts";
import { KubeClient } from "./kube/client.ts";
import { HttpTransport } from "./kube/http-transport.ts";
import { systemClock } from "./lib/clock.ts";
import { systemRandom } from "./lib/random.ts";
import { startDeliveryStore } from "./ingress/cluster/delivery-store.ts";
import { createAccessLog } from "./ingress/access-log.ts";
import { defineControllerMetrics } from "./controllers/metrics/controller-metrics.ts";
import { defineIngressMetrics } from "./ingress/metrics.ts";
import { defineAutomationMetrics } from "./controllers/metrics/automation-metrics.ts";
import { defineKubeMetrics, type KubeMetrics } from "./telemetry/kube-metrics.ts";
import { createLogger, type Logger } from "./telemetry/logger.ts";
import { defineRunMetrics } from "./controllers/metrics/run-metrics.ts";
import { deliveryTraces } from "./ingress/tracing/delivery-traces.ts";
import { defineTraceMetrics } from "./telemetry/trace-metrics.ts";
import { startTracing, type Tracing } from "./telemetry/tracing.ts";
import { readTracingConfig } from "./tracing-config.ts";
import { startObservabilityServer } from "./telemetry/observability-server.ts";

interface Parts extends CommonConfig {
  client: KubeClient;
  logger: Logger;
  registry: Registry;
  metrics: KubeMetrics;
  /** Where traces are wanted. */
  tracing?: Tracing | undefined;
}

/** One of the three processes while it runs. */
interface RunningProcess {
  notReadyBecause(): string | undefined;
  /** Finishes what is under way. */
  close(): Promise<void>;
  /** Resolves when the process must end by itself. */
  ended?: Promise<unknown>;
}

/** Connections to the API server: the ingress keeps 8 of them free for reads beside 24 creates and 4 logs. */
const connections = { controller: 16, ingress: 36, gateway: 16 } as const satisfies Record<ProcessName, number>;

const starters: Record<ProcessName, (parts: Parts) => RunningProcess | Promise<RunningProcess>> = {
  controller: runControllers,
  gateway: runGateway,
  ingress: runIngress,
};

function runControllers(parts: Parts): RunningProcess {
  // Renewals of the leader's lease never wait behind the work.
  const election = connect("controller", 2);
  const controllers = startControllers({
    ...parts,
    ...readControllerConfig(process.env, parts.release),
    electionClient: election.client,
    runMetrics: defineRunMetrics(parts.registry),
    clock: systemClock,
    random: systemRandom,
    // A container that was restarted in its pod is another candidate.
    identity: `${parts.podName}_${randomUUID()}`,
  });
  defineAutomationMetrics(parts.registry, () => controllers.pausedAutomations());
  defineControllerMetrics(parts.registry, controllers);
  return {
    ...controllers,
    async close() {
      await controllers.close();
      await election.transport.close();
    },
  };
}

async function runGateway(parts: Parts): Promise<RunningProcess> {
  const config = readGatewayConfig(process.env, parts.release);
  const blobs = await openBlobStore(config.blobStore, parts.logger);
  return startGateway({ ...parts, ...config, blobs, clock: systemClock });
}

async function runIngress({
  client,
  logger,
  registry,
  metrics,
  release,
  watchNamespaces,
  tracing,
}: Parts): Promise<RunningProcess> {
  const { port } = readIngressConfig(process.env);
  const { keysNamespace } = release;
  const counted = defineIngressMetrics(registry, () => store.runs.load);
  const clock = systemClock;
  const store = startDeliveryStore({
    client,
    clock,
    keysNamespace,
    watchNamespaces,
    log: logger,
    metrics,
    ledgerMetrics: counted,
  });
  const accessLog = createAccessLog(logger);
  const ingress = await startIngress({
    port,
    automations: store.automations,
    runs: store.runs,
    ledger: store.ledger,
    clock,
    traces: tracing && deliveryTraces(tracing, clock),
    observer: {
      answered(facts) {
        counted.answered(facts);
        accessLog.answered(facts);
      },
    },
  });
  return {
    notReadyBecause: () => ingress.notReadyBecause(),
    async close() {
      await ingress.close();
      await store.stop();
    },
  };
}

async function run(name: ProcessName): Promise<void> {
  const config = readCommonConfig(process.env);
  const logger = createLogger({ process: name, level: config.logLevel });
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const { client, transport } = connect(name, connections[name]);

  const stopping = new Promise<string>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => resolve(signal));
  });
  const tracing = startProcessTracing(name, config.podName, registry);
  const metrics = defineKubeMetrics(registry);
  const started = await starters[name]({ ...config, client, logger, registry, metrics, tracing });
  const observability = await startObservabilityServer({
    port: config.observabilityPort,
    registry,
    notReadyBecause: () => started.notReadyBecause(),
  });
  logger.info({ observabilityPort: observability.port }, "Started process");
  const cause = await Promise.race([stopping, started.ended ?? stopping]);
  logger.info({ cause }, "Stopping process");
  await started.close();
  await tracing?.close();
  await observability.close();
  await transport.close();
}

/** Of the processes that tell of traces, where there is somebody to tell. */
function startProcessTracing(name: ProcessName, instance: string, registry: Registry): Tracing | undefined {
  if (name === "gateway") return undefined;
  const config = readTracingConfig(process.env);
  const metrics = defineTraceMetrics(registry);
  return config && startTracing(config, { process: name, instance, metrics });
}

/** A client on connections of its own, with the pod's credentials or those of a kubeconfig. */
function connect(name: ProcessName, size: number): { client: KubeClient; transport: HttpTransport } {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromDefault();
  const transport = new HttpTransport({ access: accessFrom(kubeConfig), clock: systemClock, size });
  return { client: new KubeClient({ transport, clock: systemClock, fieldManager: `runwright-${name}` }), transport };
}

function processName(argument: string | undefined): ProcessName {
  const name = processNames.find((known) => known === argument);
  if (name) return name;
  throw new ConfigError(
    "the first argument",
    argument,
    `it must be one of ${processNames.join(", ")}`,
    "it has no default",
  );
}

try {
  await run(processName(process.argv[2]));
} catch (error) {
  // Before anything runs there is no logger, and a person reads this.
  const isForPeople = error instanceof ConfigError || error instanceof BlobSettingError;
  process.stderr.write(`runwright: ${isForPeople ? error.message : String((error as Error).stack)}\n`);
  process.exitCode = 1;
}
