import { createHash } from "node:crypto";

import { afterEach, beforeEach, expect, it } from "vitest";

import { annotations, Automation } from "../../../src/api/v1alpha1/index.ts";
import { secrets } from "../../../src/kube/core-resources.ts";
import { testCluster } from "../../support/cluster.ts";
import { type FaultProxy, startFaultProxy } from "../../support/fault-proxy.ts";
import { conditionOf, World } from "./world.ts";

let proxy: FaultProxy;
let world: World;
beforeEach(async () => {
  proxy = await startFaultProxy(testCluster());
  world = await World.make(testCluster().kubeconfig, proxy.kubeconfig());
});
afterEach(async () => {
  await world.close();
  await proxy.close();
});

const hashOf = (key: string): string => createHash("sha256").update(key).digest("hex");
const dataOf = (key: string): { sha256: string } => ({ sha256: Buffer.from(hashOf(key)).toString("base64") });

async function untilHint(key: string): Promise<void> {
  const hint = hashOf(key).slice(0, 8);
  await world.until(`the key is ${key}`, async () => {
    const automation = await world.automation("triage");
    return automation.status?.webhook?.keyHint === hint && conditionOf(automation, "KeyIssued")?.status === "True";
  });
}

it("a key that is issued between the read and the delete of the copy stays", async () => {
  const source = { metadata: { name: "alerts-key", namespace: world.namespace }, data: dataOf("copied") };
  await world.client.create(secrets, source);
  const trigger = { type: "Webhook" as const, webhook: { keyHashSecretRef: { name: "alerts-key" } } };
  const automation = await world.createAutomation("triage", { trigger } as never);
  const first = await world.startOperator();
  await untilHint("copied");
  await first.stop();

  const webhook = { keyHashSecretRef: null };
  const named = { namespace: world.namespace, name: "triage" };
  await world.client.patch(Automation, named, { spec: { trigger: { webhook } } });
  const key = { namespace: world.keysNamespace, name: `automation-${automation.metadata.uid!}` };
  const issued = { metadata: { annotations: { [annotations.copiedFrom]: null } }, data: dataOf("issued") };
  const issue = async (): Promise<void> => {
    await world.client.patch(secrets, key, issued);
  };
  const ofKey = (method: string) => (request: { method: string; path: string }) =>
    request.method === method && request.path.split("?")[0]!.endsWith(`/secrets/${key.name}`);
  proxy.inject({ kind: "between", run: issue }, { matches: ofKey("GET") });

  await world.startOperator();
  await untilHint("issued");
  expect(proxy.seen.filter(ofKey("DELETE")).map(({ status }) => status)).toEqual([409]);
  expect((await world.client.get(secrets, key)).data).toEqual(dataOf("issued"));
});
