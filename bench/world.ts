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
/** The highest rate limit, so that none is met. */
const unlimited = { perSecond: 1_000, burst: 10_000 };
/** What an Automation has that says nothing. */
const usual = { perSecond: 5, burst: 50 };
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
  /** One Automation that no other sender delivers to, one that is flooded, and one that is flooded over its rate limit. */
  neighbour: string;
  flooded: string;
  limited: string;
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
  const make = (name: string, rateLimit: RateLimit): Promise<Target> =>
    makeAutomation(client, { namespace, keysNamespace, name, rateLimit });
  const made = await Promise.all(Array.from({ length: automations }, (_, index) => make(`alerts-${index}`, unlimited)));
  const neighbour = await make("neighbour", unlimited);
  const flooded = await make("flooded", unlimited);
  const limited = await make("limited", usual);
  const write = async (name: string, content: unknown): Promise<string> => {
    const file = join(folder, name);
    await writeFile(file, JSON.stringify(content));
    return file;
  };
  const parsed = JSON.parse(payload) as object;
  return {
    keysNamespace,
    async writeFiles(ingressUrl) {
      const addressOf = ({ name, key }: Target): { url: string; key: string } => {
        return { url: `${ingressUrl}/webhooks/automation/${namespace}.${name}`, key };
      };
      const targets = made.map(addressOf);
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
        neighbour: await write("neighbour.json", [addressOf(neighbour)]),
        flooded: await write("flooded.json", [addressOf(flooded)]),
        limited: await write("limited.json", [addressOf(limited)]),
      };
    },
  };
}

type RateLimit = typeof unlimited;

interface Wanted {
  namespace: string;
  keysNamespace: string;
  name: string;
  rateLimit: RateLimit;
}

export interface Target {
  name: string;
  uid: string;
  key: string;
}

/** A webhook Automation, and the key that its deliveries have. */
export async function makeAutomation(
  client: KubeClient,
  { namespace, keysNamespace, name, rateLimit }: Wanted,
): Promise<Target> {
  const webhook = { filters, rateLimit, maxUnfinishedRuns: 10_000 };
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
  const automation = { type: "Webhook" as const, namespace, name: "alerts-0", uid, generation: 1 };
  const delivery = { id: "raw-create", receivedAt: new Date(), payload, idempotencyKey: undefined };
  return { apiVersion: "runwright.dev/v1alpha1", kind: "Run", ...makeRun(automation, delivery, "raw") };
}
