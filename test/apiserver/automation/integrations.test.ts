import { afterEach, beforeEach, expect, it } from "vitest";

import { type Automation, Integration, type IntegrationStatus } from "../../../src/api/v1alpha1/index.ts";
import { testCluster } from "../../support/cluster.ts";
import { conditionOf, World } from "../run/world.ts";

let world: World;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
});
afterEach(() => world.close());

async function makeIntegration(): Promise<Integration> {
  return world.client.create(Integration, {
    metadata: { name: "host", namespace: world.namespace },
    spec: {
      type: "GitHub",
      serviceAccountName: "runner",
      signingSecretRef: { name: "host" },
      credentialsSecretRef: { name: "host" },
      github: { appID: 1, slug: "helper", installationID: 2, repositories: [{ name: "api" }] },
    },
  } as unknown as Integration);
}

async function observe(change: IntegrationStatus): Promise<void> {
  const found = await world.client.get(Integration, { namespace: world.namespace, name: "host" });
  await world.client.patchStatus(Integration, found, { ...found.status, ...change });
}

function readyAs(status: "True" | "False", reason: string): IntegrationStatus {
  const lastTransitionTime = "2026-05-04T10:15:00Z";
  return { conditions: [{ type: "Ready", status, reason, message: "m", lastTransitionTime }] };
}

async function untilReady(reason: string): Promise<string> {
  const ready = async () => conditionOf(await world.automation("fix"), "Ready");
  await world.until(`Ready is ${reason}`, async () => (await ready())?.reason === reason);
  return (await ready())?.message ?? "";
}

it("an automation says whether its Integration can fire it, as that changes", async () => {
  const trigger = {
    type: "GitHub",
    github: { integrationRef: { name: "host" }, events: ["IssueOpened", "WorkflowRunCompleted"] },
  } as Automation["spec"]["trigger"];
  await world.createAutomation("fix", { trigger, targets: [{ repositoryRef: { name: "api" } }] });
  await world.startOperator();
  expect(await untilReady("IntegrationNotFound")).toBe("There is no Integration host");
  const made = await makeIntegration();
  await untilReady("IntegrationNotReady");
  await observe(readyAs("True", "Ready"));
  await untilReady("Ready");
  await observe({ github: { events: ["issues"] } });
  expect(await untilReady("EventsNotSubscribed")).toContain("workflow_run");
  await observe({ github: { events: ["issues", "workflow_run"] } });
  await untilReady("Ready");
  await observe(readyAs("False", "CredentialsRefused"));
  expect(await untilReady("IntegrationNotReady")).toContain("CredentialsRefused: m");
  await world.client.delete(Integration, { namespace: world.namespace, name: "host" }, { uid: made.metadata.uid });
  await untilReady("IntegrationNotFound");
});
