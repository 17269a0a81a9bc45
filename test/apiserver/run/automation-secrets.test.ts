import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { globalSecretName, Repository, scopeLabels, type SecretScopeKind } from "../../../src/api/v1alpha1/index.ts";
import { secrets } from "../../../src/kube/core-resources.ts";
import { startEquippedControlPlane } from "../../support/control-plane.setup.ts";
import type { ControlPlane } from "../../../hack/cluster/cluster.ts";
import { conditionOf, World } from "./world.ts";

/** Without the admission policies, as on a cluster whose admin did not install them. */
let plane: ControlPlane;
let world: World;
beforeAll(async () => {
  plane = await startEquippedControlPlane();
});
afterAll(() => plane.stop());
beforeEach(async () => {
  world = await World.make(plane.kubeconfig);
});
afterEach(() => world.close());

async function putScope(kind: SecretScopeKind, name: string, sizes: Record<string, number>): Promise<void> {
  const stringData = Object.fromEntries(
    Object.entries(sizes).map(([key, bytes]) => [key, "planted".padEnd(bytes, "x")]),
  );
  const key = { namespace: world.namespace, name: kind === "global" ? globalSecretName : `${name}-env` };
  const metadata = { ...key, labels: scopeLabels(kind, name) };
  if (await world.client.delete(secrets, key))
    await world.until("it is gone", async () => !(await world.client.find(secrets, key)));
  await world.client.create(secrets, { metadata, stringData });
}

async function untilReady(reason: string): Promise<void> {
  const ready = async () => conditionOf(await world.automation("triage"), "Ready");
  await world.until(`the automation is ${reason}`, async () => (await ready())?.reason === reason, 2_000);
}

it("warns of secrets that no session could start with, and stops when they are fixed", async () => {
  const metadata = { name: "web", namespace: world.namespace };
  const spec = { url: "https://git.example.com/web.git", branch: "main", secretRef: { name: "web-env" } };
  await world.client.create(Repository, { metadata, spec });
  await world.createAutomation("triage", { targets: [{ repositoryRef: { name: "web" } }] });
  await world.startOperator();
  await untilReady("SecretNotFound");

  await putScope("global", "", { G: 70_000, SHARED: 10_000 });
  await putScope("repository", "web", { W: 61_000, SHARED: 1_000 });
  await untilReady("SecretsTooLarge");
  const warned = await world.automation("triage");
  const message =
    "the secrets of a session have 132000 bytes together and may have at most 131072: global 70000 bytes (1 key), repository web 62000 bytes (2 keys). Shorten or remove secrets of the scopes that the message names.";
  expect(conditionOf(warned, "Ready")).toMatchObject({ status: "False", message });
  expect(conditionOf(warned, "Stalled")).toMatchObject({ status: "True", message });
  expect(JSON.stringify(warned)).not.toContain("planted");
  const shown = await promisify(execFile)(plane.kubectl, [
    ...["--kubeconfig", plane.kubeconfig, "--namespace", world.namespace],
    ...["get", "automation", "triage", "--output", "wide"],
  ]);
  expect(shown.stdout).toMatch(/triage +Webhook +False .*132000 bytes together/);

  await putScope("global", "", { G: 70_000 });
  await putScope("repository", "web", { W: 16_000 });
  await untilReady("InvalidSecret");
  await putScope("global", "", { G: 16_000 });
  await untilReady("Ready");
});
