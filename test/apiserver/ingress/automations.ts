import { randomBytes } from "node:crypto";

import { type Automation, keyHashDataKey, keySecretName, labels, type Run } from "../../../src/api/v1alpha1/index.ts";
import { hashApiKey } from "../../../src/domain/keys.ts";
import { testApi } from "../../support/cluster.ts";
import type { World } from "./world.ts";

const kinds = "/apis/runwright.dev/v1alpha1";

/** An Automation as stored, with the key that senders use. */
export interface Made {
  id: string;
  namespace: string;
  name: string;
  uid: string;
  key: string;
}

/** Creates a webhook Automation with a key. */
export async function makeAutomation(
  world: Pick<World, "namespace" | "keysNamespace">,
  webhook: object = {},
  trigger: object = {
    type: "Webhook",
    webhook: { rateLimit: { perSecond: 1000, burst: 10_000 }, maxUnfinishedRuns: 10_000, ...webhook },
  },
): Promise<Made> {
  const { namespace } = world;
  const name = `auto-${randomBytes(4).toString("hex")}`;
  const { status, body } = await testApi().send("POST", `${kinds}/namespaces/${namespace}/automations`, {
    apiVersion: "runwright.dev/v1alpha1",
    kind: "Automation",
    metadata: { name },
    spec: { instructions: "Find the cause and fix it.", trigger, serviceAccountName: "automation-runner" },
  });
  if (status !== 201) throw new Error(`Automation was refused: ${status} ${JSON.stringify(body)}`);
  const uid = (body as Automation).metadata.uid!;
  const key = await setKey(world, uid);
  return { id: `${namespace}.${name}`, namespace, name, uid, key };
}

/** Gives an Automation a new key as the gateway does, in one write, and returns it. */
export async function setKey(
  { keysNamespace }: Pick<World, "keysNamespace">,
  uid: string,
  stored: { label?: string; hash?: (hash: string) => string } = {},
): Promise<string> {
  const { label = uid, hash = (one: string) => one } = stored;
  const key = randomBytes(32).toString("base64url");
  const name = keySecretName(uid);
  await testApi().apply(`/api/v1/namespaces/${keysNamespace}/secrets/${name}`, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, labels: { [labels.automationUid]: label } },
    stringData: { [keyHashDataKey]: hash(hashApiKey(key)) },
  });
  return key;
}

/** Changes an Automation by merge patch; `status` goes to the subresource. */
export async function patchAutomation(
  { namespace, name }: Made,
  patch: { spec?: object; status?: object },
): Promise<void> {
  const path = `${kinds}/namespaces/${namespace}/automations/${name}${patch.status ? "/status" : ""}`;
  const { status, body } = await testApi().send("PATCH", path, patch);
  if (status !== 200) throw new Error(`patch was refused: ${status} ${JSON.stringify(body)}`);
}

export async function deleteAutomation({ namespace, name }: Made): Promise<void> {
  const { status } = await testApi().send("DELETE", `${kinds}/namespaces/${namespace}/automations/${name}`);
  if (status !== 200) throw new Error(`delete was refused: ${status}`);
}

/** The Runs of an Automation, as the API server has them. */
export async function runsOf({ namespace, uid }: Made): Promise<Run[]> {
  const selector = encodeURIComponent(`${labels.automationUid}=${uid}`);
  const { body } = await testApi().send("GET", `${kinds}/namespaces/${namespace}/runs?labelSelector=${selector}`);
  return (body as { items: Run[] }).items;
}
