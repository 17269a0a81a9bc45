import { readFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { type Automation, keyHashDataKey, keySecretName, labels } from "../../../src/api/v1alpha1/index.ts";
import { apiKeyBytes, hashApiKey, makeApiKey } from "../../../src/domain/keys.ts";
import { startIngress } from "../../../src/ingress/start-ingress.ts";
import { secrets } from "../../../src/kube/core-resources.ts";
import { startDeliveryStore } from "../../../src/ingress/cluster/delivery-store.ts";
import { deliveryTraces } from "../../../src/ingress/tracing/delivery-traces.ts";
import type { Tracing } from "../../../src/telemetry/tracing.ts";
import { until } from "../../support/kube.ts";
import { grantProcess, processClient } from "../../support/process-accounts.ts";
import { MovableClock } from "../../support/movable-clock.ts";
import type { World } from "./world.ts";
import { systemRandom } from "../../../src/lib/random.ts";

/** An ingress before a world's controllers. */
export interface Intake {
  url: string;
  /** What the URL of an automation's deliveries names. */
  idOf(automation: Automation): string;
  /** Makes every read that was done until now too old to be used. */
  forget(): void;
  close(): Promise<void>;
}

export async function startIntake(world: World, tracing?: Tracing): Promise<Intake> {
  const { release, kubeconfig } = world;
  const user = await grantProcess(world.client, "ingress", release);
  const connection = processClient("ingress", await readFile(kubeconfig, "utf8"), user);
  const clock = new MovableClock();
  const store = startDeliveryStore({
    client: connection.client,
    clock,
    random: systemRandom,
    keysNamespace: release.keysNamespace,
  });
  const observer = { answered: () => undefined };
  const { automations, runs, ledger } = store;
  const traces = tracing && deliveryTraces(tracing, clock);
  const ingress = await startIngress({
    port: 0,
    automations,
    runs,
    ledger,
    clock,
    random: systemRandom,
    observer,
    traces,
  });
  await until("the ingress is ready", () => ingress.notReadyBecause() === undefined);
  return {
    url: `http://127.0.0.1:${ingress.port}`,
    idOf: ({ metadata }) => `${metadata.namespace ?? ""}.${metadata.name ?? ""}`,
    forget: () => clock.move(1_001),
    async close() {
      await ingress.close();
      await store.stop();
      await connection.close();
    },
  };
}

/** A key with its hash where the gateway puts it. */
export async function issueKey(world: World, { metadata: { uid = "" } }: Automation): Promise<string> {
  const key = makeApiKey(randomBytes(apiKeyBytes));
  await world.client.create(secrets, {
    metadata: { name: keySecretName(uid), namespace: world.keysNamespace, labels: { [labels.automationUid]: uid } },
    data: { [keyHashDataKey]: Buffer.from(hashApiKey(key)).toString("base64") },
  });
  return key;
}
