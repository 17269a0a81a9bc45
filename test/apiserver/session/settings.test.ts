import { afterEach, beforeEach, expect, it } from "vitest";
import { Environment, Repository } from "../../../src/api/v1alpha1/index.ts";
import { testCluster } from "../../support/cluster.ts";
import { World } from "./world.ts";

const second = 1_000;

let world: World;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  await world.allowRunner([{ resources: ["repositories", "environments"], verbs: ["get"] }]);
  const { client, namespace } = world;
  for (const [name, sandboxTimeoutMs] of [["web", 60 * second] as const, ["api", 70 * second] as const]) {
    const spec = { url: `https://git.example.com/${name}.git`, branch: "main", settings: { sandboxTimeoutMs } };
    await client.create(Repository, { metadata: { name, namespace }, spec });
  }
  await client.create(Repository, {
    metadata: { name: "bare", namespace },
    spec: { url: "https://git.example.com/bare.git", branch: "main" },
  });
  const environments = { own: { sandboxTimeoutMs: 80 * second }, none: undefined, empty: {} };
  for (const [name, settings] of Object.entries(environments)) {
    const repositoryRefs = [{ name: "web" }, { name: "api" }];
    await client.create(Environment, { metadata: { name, namespace }, spec: { repositoryRefs, settings } });
  }
  await world.startOperator();
});
afterEach(() => world.close());

const repositories = (...names: string[]) => ({ repositoryRefs: names.map((name) => ({ name })) });
const environment = (name: string) => ({ environmentRef: { name } });

it.each([
  ["no target", {}, undefined, 7_200],
  ["a Repository", repositories("web"), undefined, 60],
  ["a Repository that sets none", repositories("bare"), undefined, 7_200],
  ["Repositories, by the first", repositories("api", "web"), undefined, 70],
  ["Repositories of which the first sets none", repositories("bare", "web"), undefined, 7_200],
  ["an Environment", environment("own"), undefined, 80],
  ["an Environment without settings, by its first Repository", environment("none"), undefined, 60],
  ["an Environment with none set, by its first Repository", environment("empty"), undefined, 60],
  ["an Environment and settings of its own", environment("own"), { sandboxTimeoutMs: 90 * second }, 90],
])("a session on %s has its timeouts from there, fixed with its first sandbox", async (_, target, settings, want) => {
  const session = await world.createSession("fix", { target, ...(settings ? { settings } : {}) });
  await world.createPrompt(session, 1);
  await world.bringUp(session);
  const { status } = await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt !== undefined);
  expect(status).toMatchObject({ lifetimeMs: want * second, executionTimeoutMs: want * second });
});
