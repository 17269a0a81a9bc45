import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { ControlPlane } from "../../hack/cluster/cluster.ts";
import { freePorts } from "../../hack/lib/ports.ts";
import { labels } from "../../src/api/v1alpha1/index.ts";
import { leases, pods, secrets } from "../../src/kube/core-resources.ts";
import { connectApi } from "../support/api-client.ts";
import { AnsweringSandboxes } from "../support/answering-sandboxes.ts";
import { Deliveries } from "../support/deliveries.ts";
import { startFaultProxy } from "../support/fault-proxy.ts";
import { installRelease } from "../support/installed-release.ts";
import { clientOf, newNamespace } from "../support/kube.ts";
import { newRelease } from "../support/process-accounts.ts";
import { makeWebhookTenant } from "../support/webhook-tenant.ts";
import { randomOf } from "../kills/random.ts";
import { KeptProcess } from "./kept-process.ts";
import type { Misses, ProcessName } from "./processes.ts";
import { Trouble } from "./trouble.ts";

/** The operator's processes, each behind a faulty way to the API server, and what gives them work. */
export interface Stage {
  processes: readonly KeptProcess[];
  troubles: readonly Trouble[];
  deliveries: Deliveries;
  /** Pods, bundles and Leases of sandboxes that are there. */
  leftovers(): Promise<string[]>;
  /** Closes connections to the API server that nothing uses; else they are kept for a minute. */
  closeIdle(): void;
  /** Forgets which requests went through the proxies. */
  forget(): void;
  close(): Promise<void>;
}

const names: readonly ProcessName[] = ["controller", "gateway", "ingress"];

export interface StageOptions {
  plane: ControlPlane;
  seed: number;
  misses?: Misses | undefined;
}

/** Resolves when all processes work. */
export async function openStage({ plane, seed, misses }: StageOptions): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), "runwright-soak-"));
  const connection = clientOf({ file: plane.kubeconfig });
  const { client } = connection;
  const [namespace, release] = await Promise.all([newNamespace(client, "tenant"), newRelease(client)]);
  const { keysNamespace, sessionsNamespace } = release;
  const api = connectApi(plane);
  const users = await installRelease(api, release);
  await api.close();
  const [sandbox = 0, people = 0, ingress = 0] = await freePorts(3);
  const proxies = await Promise.all(names.map(() => startFaultProxy(plane)));
  const processes = names.map((name, at) => {
    const place = {
      proxy: proxies[at]!,
      user: users[name]!,
      release,
      ports: { sandbox, people, ingress },
      directory,
      misses,
    };
    return new KeptProcess(name, place);
  });
  const kept = { successfulLimit: 5, failedLimit: 5, skippedLimit: 5, ttlSeconds: 3_600 };
  const history = { ...kept, idempotencySeconds: 3_600, idempotencyKeys: 10 };
  const key = await makeWebhookTenant(client, { namespace, keysNamespace, className: "standard", history });
  const sandboxes = new AnsweringSandboxes({ client, namespace, release, sandboxPort: sandbox });
  sandboxes.start();
  for (const process of processes) await process.start();
  for (const process of processes) await process.ready();
  const url = `http://127.0.0.1:${ingress}/webhooks/automation/${namespace}.fix`;
  const deliveries = new Deliveries({ client, namespace, url, key });
  return {
    processes,
    troubles: proxies.map((proxy, at) => new Trouble(proxy, randomOf(seed + at))),
    deliveries,
    async leftovers() {
      const [podsLeft, bundles, leasesLeft] = await Promise.all([
        client.list(pods, { namespace }),
        client.list(secrets, { namespace: sessionsNamespace, labelSelector: labels.sessionUid }),
        client.list(leases, { namespace: sessionsNamespace, labelSelector: labels.sessionUid }),
      ]);
      const shown = { Pod: podsLeft, Secret: bundles, Lease: leasesLeft };
      return Object.entries(shown).flatMap(([kind, { items }]) =>
        items.map(({ metadata }) => `${kind} ${metadata.name ?? ""} is left`),
      );
    },
    closeIdle() {
      for (const proxy of proxies) proxy.closeIdle();
    },
    forget() {
      for (const { seen } of proxies) seen.length = 0;
    },
    async close() {
      await deliveries.close();
      await sandboxes.stop();
      for (const proxy of proxies) await proxy.close();
      await connection.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
