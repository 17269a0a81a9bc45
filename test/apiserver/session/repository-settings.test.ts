import { expect, it } from "vitest";

import { Integration, Repository } from "../../../src/api/v1alpha1/index.ts";
import { runPlugin } from "../../support/cli.ts";
import { testCluster } from "../../support/cluster.ts";
import { startScopeControllers } from "./scope-controllers.ts";
import { conditionOf, World } from "./world.ts";

it("a Repository says while one of its settings is above what bounds it, and so does the plugin", async () => {
  const world = await World.make(testCluster().kubeconfig);
  const { client, namespace } = world;
  world.operatorSettings = { maxTotalChildSessions: 2 };
  const controllers = await startScopeControllers(world);

  const key = { namespace, name: "web" };
  const seen = (generation: number): Promise<Repository> =>
    world.time.find(
      `generation ${generation} judged`,
      async () => {
        const found = await client.get<Repository>(Repository, key);
        return found.status?.observedGeneration === generation ? found : undefined;
      },
      { stepMs: 1_000 },
    );
  const shown = async (): Promise<string> => {
    const { out } = await runPlugin(["settings", "web", "-n", namespace, "--kubeconfig", testCluster().kubeconfig]);
    return out;
  };
  const url = "https://git.example.com/web.git";
  const spec = { url, branch: "main", settings: { maxConcurrentChildSessions: 3 } };
  await client.create(Repository, { metadata: key, spec });
  const message =
    "maxConcurrentChildSessions 3 (Repository/web) is above maxTotalChildSessions 2 (Operator), which counts";
  expect(conditionOf(await seen(1), "SettingsBounded")).toMatchObject({
    status: "True",
    reason: "SettingAboveLimit",
    message,
    observedGeneration: 1,
  });
  expect(await shown()).toMatch(/^maxConcurrentChildSessions +2 +Operator$/m);
  expect((await shown()).trim().split("\n").at(-1)).toBe(`SettingsBounded: ${message}`);

  await client.patch(Repository, key, { spec: { settings: { maxConcurrentChildSessions: 2 } } });
  const fixed = await seen(2);
  expect(conditionOf(fixed, "SettingsBounded")).toBeUndefined();
  expect(conditionOf(fixed, "Ready")).toMatchObject({ status: "True" });
  expect(await shown()).toMatch(/^maxConcurrentChildSessions +2 +Repository\/web$/m);
  expect(await shown()).not.toContain("SettingsBounded");

  await controllers.stop();
  await world.close();
});

it("a Repository says that its autofix is on and no Integration brings feedback, until one does", async () => {
  const world = await World.make(testCluster().kubeconfig);
  const { client, namespace } = world;
  const controllers = await startScopeControllers(world);

  const key = { namespace, name: "web" };
  const spec = { url: "https://github.com/acme/web.git", branch: "main", autofix: { mode: "Enabled" } };
  await client.create(Repository, { metadata: key, spec } as Repository);
  const integration = { namespace, name: "github" };
  const serving = (...names: string[]) => ({ spec: { github: { repositories: names.map((name) => ({ name })) } } });
  const says = (reason: string | undefined): Promise<void> =>
    world.time.until(
      `the Repository says ${reason ?? "nothing"}`,
      async () => {
        const found = await client.get<Repository>(Repository, key);
        return found.status !== undefined && conditionOf(found, "AutofixSilent")?.reason === reason;
      },
      { stepMs: 1_000 },
    );
  await says("RepositoryNotServed");
  await client.create(Integration, {
    metadata: integration,
    spec: {
      type: "GitHub",
      serviceAccountName: "runner",
      signingSecretRef: { name: "github" },
      credentialsSecretRef: { name: "github" },
      github: { appID: 7, slug: "helper", installationID: 42, ...serving("web").spec.github },
    },
  } as Integration);
  await says(undefined);
  await client.patch(Integration, integration, serving("api"));
  await says("RepositoryNotServed");
  await client.patch(Integration, integration, serving("api", "web"));
  await says(undefined);
  await client.delete(Integration, integration);
  await says("RepositoryNotServed");

  await controllers.stop();
  await world.close();
});
