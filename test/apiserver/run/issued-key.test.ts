import { createHash } from "node:crypto";

import { expect, it } from "vitest";

import { annotations, Automation } from "../../../src/api/v1alpha1/index.ts";
import { secrets } from "../../../src/kube/core-resources.ts";
import { proxiedWorld } from "./proxied-world.ts";
import { conditionOf } from "./world.ts";

const open = proxiedWorld();

const hashOf = (key: string): string => createHash("sha256").update(key).digest("hex");
const dataOf = (key: string): { sha256: string } => ({ sha256: Buffer.from(hashOf(key)).toString("base64") });

async function untilHint(key: string): Promise<void> {
  const hint = hashOf(key).slice(0, 8);
  await open.world.until(`the key is ${key}`, async () => {
    const automation = await open.world.automation("triage");
    return automation.status?.webhook?.keyHint === hint && conditionOf(automation, "KeyIssued")?.status === "True";
  });
}

it("a key that is issued between the read and the delete of the copy stays", async () => {
  const source = { metadata: { name: "alerts-key", namespace: open.world.namespace }, data: dataOf("copied") };
  await open.world.client.create(secrets, source);
  const trigger = { type: "Webhook" as const, webhook: { keyHashSecretRef: { name: "alerts-key" } } };
  const automation = await open.world.createAutomation("triage", { trigger } as never);
  const first = await open.world.startOperator();
  await untilHint("copied");
  await first.stop();

  const webhook = { keyHashSecretRef: null };
  const named = { namespace: open.world.namespace, name: "triage" };
  await open.world.client.patch(Automation, named, { spec: { trigger: { webhook } } });
  const key = { namespace: open.world.keysNamespace, name: `automation-${automation.metadata.uid!}` };
  const issued = { metadata: { annotations: { [annotations.copiedFrom]: null } }, data: dataOf("issued") };
  const issue = async (): Promise<void> => {
    await open.world.client.patch(secrets, key, issued);
  };
  const ofKey = (method: string) => (request: { method: string; path: string }) =>
    request.method === method && request.path.split("?")[0]!.endsWith(`/secrets/${key.name}`);
  open.proxy.inject({ kind: "between", run: issue }, { matches: ofKey("GET") });

  await open.world.startOperator();
  await untilHint("issued");
  expect(open.proxy.seen.filter(ofKey("DELETE")).map(({ status }) => status)).toEqual([409]);
  expect((await open.world.client.get(secrets, key)).data).toEqual(dataOf("issued"));
});
