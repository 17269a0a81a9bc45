import { afterAll, beforeAll, expect, it } from "vitest";

import { Run } from "../../../src/api/v1alpha1/index.ts";
import { serviceAccountUser } from "../../support/authorized.ts";
import { testCluster } from "../../support/cluster.ts";
import { type FaultProxy, startFaultProxy } from "../../support/fault-proxy.ts";
import { clientOf } from "../../support/kube.ts";
import { makeAutomation } from "./automation-world.ts";
import { makeGitHubIntegration } from "./github-world.ts";
import { World } from "./world.ts";

let world: World;
let proxy: FaultProxy;

beforeAll(async () => {
  world = await World.make();
  proxy = await startFaultProxy(testCluster());
});
afterAll(async () => {
  await proxy.close();
  await world.close();
});

it("connectors of these tests have the connector's ServiceAccount, which the installed admission policies limit", async () => {
  const { metadata } = await makeAutomation(world, await makeGitHubIntegration(world));
  const connector = clientOf({
    text: proxy.kubeconfig(serviceAccountUser("runwright-system", "runwright-connector")),
  });
  const { name = "", uid = "", generation } = metadata;
  const runOf = (type: "GitHub" | "Slack" | "Webhook"): Run => ({
    metadata: {
      name: `by-${type.toLowerCase()}`,
      namespace: world.namespace,
      labels: { "runwright.dev/automation-uid": uid, "runwright.dev/automation": name },
    },
    spec: {
      automationRef: { name, uid, generation },
      trigger: { type, time: new Date().toISOString(), deliveryID: "d", idempotencyKey: "k", payload: "{}" },
    },
  });
  await expect(connector.client.create(Run, runOf("Webhook"))).rejects.toThrow(
    "spec.trigger.type: must be one of GitHub, Slack",
  );
  await connector.client.create(Run, runOf("GitHub"));
  await connector.client.create(Run, runOf("Slack"));
  await connector.close();
});
