import { Buffer } from "node:buffer";
import { afterAll, beforeAll, expect, it } from "vitest";

import {
  Automation,
  globalSecretName,
  group,
  labels,
  Repository,
  Run,
  scopeLabels,
} from "../../../src/api/v1alpha1/index.ts";
import { secrets } from "../../../src/kube/core-resources.ts";
import { roleBindings, roles } from "../../../src/sandbox/service-account.ts";
import { until } from "../../support/kube.ts";
import { World } from "./world.ts";

const planted = ["planted-for-everybody", "planted-for-the-shop"];

let world: World;
beforeAll(async () => {
  world = await World.working();
  await plant();
});
afterAll(() => world.close());

/** A Repository with secrets, beside those of the namespace, as the Automation's target. */
async function plant(): Promise<void> {
  const { client, namespace } = world;
  const [everybody = "", shop = ""] = planted;
  const scope = (name: string, scoped: Record<string, string>, TOKEN: string) =>
    client.create(secrets, {
      metadata: { name, namespace, labels: scoped },
      stringData: { [`${name.slice(0, 4)}_T`]: TOKEN },
    });
  await scope(globalSecretName, scopeLabels("global", ""), everybody);
  await scope("shop-env", scopeLabels("repository", "shop"), shop);
  const spec = { url: "https://git.example.com/shop.git", branch: "main", secretRef: { name: "shop-env" } };
  await client.create(Repository, { metadata: { name: "shop", namespace }, spec });
  const metadata = { name: "reader", namespace };
  await client.create(roles, {
    metadata,
    rules: [{ apiGroups: [group], resources: ["repositories"], verbs: ["get"] }],
  });
  await client.create(roleBindings, {
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
    subjects: [{ kind: "ServiceAccount", name: "runner", namespace }],
  });
  const targets = [{ repositoryRef: { name: "shop" } }];
  await client.patch(Automation, { namespace, name: "fix" }, { spec: { targets } });
}

/** Keys of etcd under which a planted value is, plain or in base64. */
async function whereFound(): Promise<string[]> {
  const wanted = planted.flatMap((value) => [value, Buffer.from(value).toString("base64")]);
  const stored = await world.readStorage();
  expect(stored.length).toBeGreaterThan(100);
  return stored
    .filter(({ value }) => wanted.some((one) => value.includes(one)))
    .map(({ key }) => key)
    .sort();
}

const tenantKeys = (): string[] =>
  [globalSecretName, "shop-env"].map((name) => `/registry/secrets/${world.namespace}/${name}`);

it("are in the Secrets that must hold them and nowhere else, while a session works and thereafter", async () => {
  const atWork = Promise.withResolvers<string[]>();
  world.proxies.gateway.decide(async ({ method, path }) => {
    // The outcome of the prompt: the runtime has had the bundle.
    if (method === "PATCH" && path.includes("/prompts/")) await whereFound().then(atWork.resolve, atWork.reject);
    return undefined;
  });
  await world.deliver("works");
  const [session] = (await atWork.promise).filter((key) => !tenantKeys().includes(key));
  expect(session).toMatch(new RegExp(`^/registry/secrets/${world.sessionsNamespace}/[-0-9a-f]{36}-1$`));
  world.proxies.gateway.decide(undefined);
  const run = await world.cleanedUp("works");
  expect(run.status?.conditions).toContainEqual(expect.objectContaining({ type: "Succeeded", status: "True" }));

  // What is wrong with a Secret is told in conditions, Events and logs.
  const key = { namespace: world.namespace, name: "shop-env" };
  await world.client.patch(secrets, key, { metadata: { labels: { [labels.scopeName]: "other" } } });
  await world.deliver("refused");
  await until(
    "the Run is refused",
    async () => {
      const refused = await world.client.get(Run, { namespace: world.namespace, name: "refused" });
      return refused.status?.conditions?.some(({ reason }) => reason === "InvalidSecret") ?? false;
    },
    60_000,
  );
  await world.settled();
  expect(await whereFound()).toEqual(tenantKeys().sort());
  expect(world.output).not.toBe("");
  for (const value of planted) expect(world.output).not.toContain(value);
}, 240_000);
