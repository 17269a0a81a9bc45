import { Registry } from "prom-client";

import { definePoolMetrics } from "../../src/controllers/metrics/pool-metrics.ts";
import { defineRunMetrics } from "../../src/controllers/metrics/run-metrics.ts";
import { defineImageMetrics } from "../../src/controllers/metrics/image-metrics.ts";
import { startControllers } from "../../src/controllers/start-controllers.ts";
import { Refusal } from "../../src/domain/deliveries/refusal.ts";
import { acceptDelivery } from "../../src/ingress/accept-delivery.ts";
import { startDeliveryStore } from "../../src/ingress/cluster/delivery-store.ts";
import { noteRequest } from "../../src/ingress/delivery-log/note-request.ts";
import { RateLimits } from "../../src/ingress/rate-limits.ts";
import { base32 } from "../../src/lib/base32.ts";
import { defineKubeMetrics } from "../../src/telemetry/kube-metrics.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import type { Cluster, ProcessParts } from "./cluster.ts";
import { type SignedRequest, startIntake } from "./connector/event-intake.ts";
import { places, tenant } from "./places.ts";

const registry = new Registry();
const metrics = defineKubeMetrics(registry);
const runMetrics = defineRunMetrics(registry);
const imageMetrics = defineImageMetrics(registry);
const poolMetrics = definePoolMetrics(registry);
const logger = createLogger({ process: "simulation", level: "silent" });

/** A process, from its start until it dies. */
export interface SimulatedProcess {
  readonly name: string;
  readonly clock: ProcessParts["clock"];
  /** Ends it as SIGKILL does: it does, hears and says nothing more. */
  kill(): void;
}

/** Limits of time by which the whole simulation goes, in milliseconds unless they say seconds. */
export const limits = { boot: 300_000, execution: 240_000, idleSeconds: 60, unsavedSeconds: 300, pendingSeconds: 120 };

/** `runwright controller`, all of it. */
export function startController(cluster: Cluster, name: string): SimulatedProcess {
  const { client, clock, random } = cluster.newProcess(name);
  const running = startControllers({
    client,
    electionClient: client,
    clock,
    random,
    logger,
    metrics,
    runMetrics,
    imageMetrics,
    poolMetrics,
    release: places,
    podName: name,
    identity: `${name}_${random.uuid()}`,
    operator: { settings: {}, executionTimeoutMs: limits.execution },
    tunnels: { peopleUrl: "https://gateway.invalid", waitSeconds: 30 },
    github: { apiURLs: ["https://api.github.com"] },
    bootTimeoutMs: limits.boot,
    sandboxImage: "sandbox:1",
    gatewayUrl: "wss://10.96.0.9:8443",
    egressExceptCIDRs: ["10.0.0.0/8"],
    sandboxPort: 8443,
    // Keys of certificates are made by threads, whose order no seed decides.
    gatewayCertificate: "cert-manager",
    hasArchive: cluster.archive !== undefined,
    hasConnector: cluster.slack !== undefined,
  });
  const process = { name, clock, kill: () => clock.die() };
  void running.ended.then(() => {
    cluster.note(`${name} ends as it leads no more`);
    clock.die();
  });
  return process;
}

/** What a sender is answered; undefined: nothing, as the connection broke. */
export type SenderAnswer = { verdict: string; runName: string | undefined } | { refused: string } | undefined;

/** `runwright ingress` without its HTTP. */
export interface SimulatedIngress extends SimulatedProcess {
  deliver(automation: string, key: string, body: object, answer: (answer: SenderAnswer) => void): void;
  /** Takes an event of Slack's. */
  deliverEvent(sent: SignedRequest, answer: (answer: SenderAnswer) => void): void;
}

export function startIngress(cluster: Cluster, name: string): SimulatedIngress {
  const parts = cluster.newProcess(name);
  const { client, clock, random } = parts;
  const { keysNamespace } = places;
  const store = startDeliveryStore({ client, clock, random, keysNamespace, watchNamespaces: [], log: logger, metrics });
  const requests = new RateLimits(clock);
  const intake = cluster.slack && startIntake(parts, store.automations, logger);
  const waiting = new Set<(answer: SenderAnswer) => void>();
  /** Hands on one answer, and none once this process has died. */
  const awaited = (answer: (answer: SenderAnswer) => void): ((said: SenderAnswer) => void) => {
    waiting.add(answer);
    return (said) => {
      if (waiting.delete(answer)) cluster.network.send(cluster.network.open(), () => answer(said));
    };
  };
  return {
    name,
    clock,
    deliver(automation, key, body, answer) {
      const answered = awaited(answer);
      clock.inTurn(() => {
        const request = {
          deliveryId: base32(random.bytes(16)),
          automationId: { namespace: tenant, name: automation },
          headers: { authorization: `Bearer ${key}` },
          body: Buffer.from(JSON.stringify(body)),
          receivedAt: clock.now(),
          deadlineMs: clock.monotonicMs() + 2_600,
        };
        acceptDelivery({ ...store, requests }, request).then(
          ({ outcome }) => answered(outcome instanceof Refusal ? { refused: outcome.code } : shown(outcome)),
          (error: unknown) => {
            if (error instanceof Refusal && error.code === "WrongKey") {
              cluster.wrongKeys += 1;
              noteRequest(store.ledger, { ...request, outcome: error, bytes: request.body.length, status: 401 });
            }
            answered(refusedBy(error));
          },
        );
      });
    },
    deliverEvent(sent, answer) {
      const answered = awaited(answer);
      clock.inTurn(() => {
        intake?.(sent).then(
          (accepted) => answered(shown(accepted)),
          (error: unknown) => answered(refusedBy(error)),
        );
      });
    },
    kill() {
      clock.die();
      for (const answer of waiting) cluster.network.send(cluster.network.open(), () => answer(undefined));
      waiting.clear();
    },
  };
}

function refusedBy(error: unknown): SenderAnswer {
  return { refused: error instanceof Refusal ? error.code : String(error) };
}

function shown({ verdict, runName }: { verdict: string; runName?: string | undefined }): SenderAnswer {
  return { verdict, runName };
}
