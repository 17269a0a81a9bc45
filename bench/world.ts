import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Automation, keyHashDataKey, keySecretName, labels } from "../src/api/v1alpha1/index.ts";
import { hashApiKey } from "../src/domain/keys.ts";
import { makeRun } from "../src/domain/deliveries/make-run.ts";
import type { KubeClient } from "../src/kube/client.ts";
import { secrets } from "../src/kube/core-resources.ts";
import { newNamespace } from "../test/support/kube.ts";

/** Deliveries go to so many Automations in turn, since each has its own rate limit and bound on unfinished Runs. */
const automations = 8;
const filters = [
  { path: "$.status", operator: "eq", value: "firing" },
  { path: "$.commonLabels.severity", operator: "eq", value: "critical" },
] as const;

/** Files that load generators read. */
export interface Files {
  /** A Run as the ingress stores it, for raw creates. */
  object: string;
  /** Deliveries: one that matches, one that does not, one with an idempotency key. */
  matching: string;
  filtered: string;
  keyed: string;
  /** Who gets them: with the right keys, and with wrong ones. */
  targets: string;
  wrongKeys: string;
}

export interface BenchWorld {
  keysNamespace: string;
  /** Writes the files for an ingress at this URL. */
  writeFiles(ingressUrl: string): Promise<Files>;
}

/** Makes the Automations that are delivered to, each with a key. */
export async function makeBenchWorld(client: KubeClient, folder: string): Promise<BenchWorld> {
  const namespace = await newNamespace(client, "bench");
  const keysNamespace = await newNamespace(client, "bench-keys");
  const payload = await readFile(
    join(import.meta.dirname, "..", "test/fixtures/payloads/alertmanager-v4.json"),
    "utf8",
  );
  const made = await Promise.all(
    Array.from({ length: automations }, (_, index) => makeAutomation(client, { namespace, keysNamespace, index })),
  );
  const write = async (name: string, content: unknown): Promise<string> => {
    const file = join(folder, name);
    await writeFile(file, JSON.stringify(content));
    return file;
  };
  const parsed = JSON.parse(payload) as object;
  return {
    keysNamespace,
    async writeFiles(ingressUrl) {
      const targets = made.map(({ name, key }) => {
        return { url: `${ingressUrl}/webhooks/automation/${namespace}.${name}`, key };
      });
      const [first] = made;
      return {
        object: await write("object.json", aRun(namespace, first?.uid ?? "", JSON.stringify(parsed))),
        matching: await write("matching.json", parsed),
        filtered: await write("filtered.json", { ...parsed, status: "resolved" }),
        keyed: await write("keyed.json", { ...parsed, idempotencyKey: "the-same-event" }),
        targets: await write("targets.json", targets),
        wrongKeys: await write(
          "wrong-keys.json",
          targets.map(({ url }) => ({ url, key: "wrong" })),
        ),
      };
    },
  };
}

interface Place {
  namespace: string;
  keysNamespace: string;
  index: number;
}

async function makeAutomation(
  client: KubeClient,
  { namespace, keysNamespace, index }: Place,
): Promise<{ name: string; uid: string; key: string }> {
  const name = `alerts-${index}`;
  const webhook = { filters, rateLimit: { perSecond: 1_000, burst: 10_000 }, maxUnfinishedRuns: 10_000 };
  const spec = {
    instructions: "Find the cause and fix it.",
    trigger: { type: "Webhook", webhook },
    serviceAccountName: "runner",
  };
  // The API server fills in the rest.
  const { metadata } = await client.create(Automation, {
    metadata: { name, namespace },
    spec,
  } as unknown as Automation);
  const { uid = "" } = metadata;
  const key = randomBytes(32).toString("base64url");
  await client.create(secrets, {
    metadata: { name: keySecretName(uid), namespace: keysNamespace, labels: { [labels.automationUid]: uid } },
    data: { [keyHashDataKey]: Buffer.from(hashApiKey(key)).toString("base64") },
  });
  return { name, uid, key };
}

/** The Run that the ingress makes of a delivery. */
function aRun(namespace: string, uid: string, payload: string): object {
  const automation = { namespace, name: "alerts-0", uid, generation: 1 };
  const delivery = { id: "raw-create", receivedAt: new Date(), payload, idempotencyKey: undefined };
  return { apiVersion: "runwright.dev/v1alpha1", kind: "Run", ...makeRun(automation, delivery, "raw") };
}
