import { setImmediate as turn } from "node:timers/promises";

import { Registry } from "prom-client";

import { Integration } from "../../src/api/v1alpha1/index.ts";
import { defineConnectorMetrics } from "../../src/connector/metrics/connector-metrics.ts";
import { startConnector } from "../../src/connector/start-connector.ts";
import { KubeClient } from "../../src/kube/client.ts";
import type { ApiAnswer, ApiRequest, Transport } from "../../src/kube/transport.ts";
import { FakeClock } from "../../src/lib/fake-clock.ts";
import { apiVersionOf } from "../../src/lib/resource.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { defineKubeMetrics } from "../../src/telemetry/kube-metrics.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import { conversationObjects, type Objects, slackIntegration } from "./objects.ts";

export interface MeasuredRest {
  /** Hours that the connector led for, by its clock. */
  hours: number;
  /** Writes of all that is no Lease. */
  writes: number;
  /** Renewals of its own Lease, which show that it led. */
  leaseWrites: number;
  /** Calls of a provider. */
  calls: number;
}

const secondMs = 1_000;

/** What a connector that leads writes in so many hours over conversations in which all is answered. */
export async function measureRest(conversations: number, followUps: number, hours: number): Promise<MeasuredRest> {
  const clock = new FakeClock("2026-11-24T13:00:00.000Z");
  const server = new ServerAtRest(conversations, followUps);
  const client = new KubeClient({ transport: server, clock });
  const registry = new Registry();
  const unreachable = "http://127.0.0.1:1";
  const connectorMetrics = defineConnectorMetrics(registry);
  let calls = 0;
  const connector = startConnector({
    client,
    electionClient: client,
    clock,
    random: systemRandom,
    logger: createLogger({ process: "connector", level: "fatal" }),
    metrics: defineKubeMetrics(registry),
    connectorMetrics: { ...connectorMetrics, called: () => (calls += 1) },
    release: { name: "runwright", namespace: "system", tokensNamespace: "tokens" },
    podName: "c1",
    identity: "c1",
    ...{ githubUrl: unreachable, linearUrl: unreachable, slackUrl: unreachable },
    gateway: { url: unreachable, authoritiesFile: "/none", tokenFile: "/none" },
  });
  const isAtWork = (): boolean => connector.notReadyBecause() === undefined && connector.isLeading();
  while (!isAtWork()) await pass(clock, secondMs);
  for (let second = 0; second < hours * 3_600; second += 1) await pass(clock, secondMs);
  const { writes, leaseWrites } = server;
  const closed = connector.close();
  const isClosed = closed.then(() => true);
  while (!(await Promise.race([isClosed, pass(clock, secondMs).then(() => false)])));
  return { hours, writes, leaseWrites, calls };
}

/** Moves time, and lets what is due be done. */
async function pass(clock: FakeClock, ms: number): Promise<void> {
  clock.advance(ms);
  for (let turns = 0; turns < 3; turns += 1) await turn();
}

/** An API server that lists conversations with what belongs to them, changes nothing, and counts what it is to change. */
class ServerAtRest implements Transport {
  writes = 0;
  leaseWrites = 0;
  readonly #objects: readonly Objects[];
  #version = 1;
  #lease: string | undefined;

  constructor(conversations: number, followUps: number) {
    this.#objects = Array.from({ length: conversations }, (_, index) => conversationObjects(index, followUps));
  }

  send(request: ApiRequest): Promise<ApiAnswer> {
    return Promise.resolve(this.#answer(request));
  }

  stream(...[, { signal }]: Parameters<Transport["stream"]>): Promise<undefined> {
    return new Promise((resolve) => signal?.addEventListener("abort", () => resolve(undefined)));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #answer({ method, path, body = "" }: ApiRequest): ApiAnswer {
    const isLease = path.includes("/leases");
    if (method !== "GET") {
      if (isLease) return this.#storeLease(body);
      this.writes += 1;
      return { status: 500, text: "{}" };
    }
    if (!isLease) return { status: 200, text: this.#list(path) };
    if (this.#lease === undefined) return { status: 404, text: JSON.stringify({ reason: "NotFound", code: 404 }) };
    return { status: 200, text: this.#lease };
  }

  #storeLease(body: string): ApiAnswer {
    this.leaseWrites += 1;
    this.#version += 1;
    const lease = JSON.parse(body) as { metadata: object };
    this.#lease = JSON.stringify({ ...lease, metadata: { ...lease.metadata, resourceVersion: String(this.#version) } });
    return { status: 200, text: this.#lease };
  }

  #list(path: string): string {
    const [, plural = ""] = /\/([a-z]+)(?:\?|$)/.exec(path) ?? [];
    const items: string[] = plural === Integration.plural ? [JSON.stringify(slackIntegration)] : [];
    for (const all of this.#objects) {
      const objects: readonly object[] = isKept(plural) ? all[plural] : [];
      items.push(...objects.map((object) => JSON.stringify(object)));
    }
    const head = JSON.stringify({ apiVersion: apiVersionOf(Integration), metadata: { resourceVersion: "1" } });
    return `${head.slice(0, -1)},"items":[${items.join(",")}]}`;
  }
}

function isKept(plural: string): plural is keyof Objects {
  return ["conversations", "sessions", "prompts", "integrationevents"].includes(plural);
}
