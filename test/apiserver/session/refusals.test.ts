import { Buffer } from "node:buffer";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Environment, group, labels, type Session } from "../../../src/api/v1alpha1/index.ts";
import { Bundle } from "../../../src/api/runtime/bundle.ts";
import { roleBindings } from "../../../src/controllers/sandbox/tenant/service-account.ts";
import { networkPolicies, secrets, serviceAccounts, subjectAccessReviews } from "../../../src/kube/core-resources.ts";
import { testCluster } from "../../support/cluster.ts";
import { conditionOf, type Operator, World } from "./world.ts";

let world: World;
let operator: Operator;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  operator = await world.startOperator();
});
afterEach(() => world.close());

const reading = { resources: ["repositories", "environments"], verbs: ["get"] };
const credentialSecretRef = { name: "git" };

async function aSecret(name: string, data: Record<string, string>, type = "kubernetes.io/basic-auth"): Promise<void> {
  await world.client.create(secrets, { metadata: { name, namespace: world.namespace }, type, stringData: data });
}

function mayNot(account: string, what: string): string {
  const remedy = "Grant it the verb use on the SandboxClass and get on the Repositories and Environments.";
  return `ServiceAccount ${world.namespace}/${account} may not ${what} in namespace ${world.namespace}. ${remedy}`;
}

/** Whether the API server allows an account the use of a SandboxClass. */
async function mayUse({ namespace, name }: { namespace: string; name: string }, className: string): Promise<boolean> {
  const resourceAttributes = { group, namespace, resource: "sandboxclasses", verb: "use", name: className };
  const spec = { user: `system:serviceaccount:${namespace}:${name}`, resourceAttributes };
  const { status } = await world.client.create(subjectAccessReviews, { metadata: {}, spec });
  return status?.allowed === true;
}

/** The verdict on the prompt of a session that cannot be started; nothing may have been made for it. */
async function refusal(spec: Partial<Session["spec"]>): Promise<object | undefined> {
  const session = await world.createSession("fix", spec);
  await world.createPrompt(session, 1);
  await world.until("a verdict", async () => conditionOf(await world.prompt("fix-1"), "Succeeded") !== undefined);
  await world.rest(operator);
  expect(await world.pods()).toEqual([]);
  expect(await world.bundles()).toEqual([]);
  const verdict = conditionOf(await world.prompt("fix-1"), "Succeeded");
  const stored = await world.session("fix");
  expect(conditionOf(stored, "Ready")).toMatchObject({ status: "False", reason: verdict?.reason });
  expect(conditionOf(stored, "Stalled")).toMatchObject({ status: "True", reason: verdict?.reason });
  expect(stored.status?.observedGeneration).toBe(1);
  return verdict;
}

describe("a session that cannot be started fails its prompt and says what is missing", () => {
  it("a class that is not there", async () => {
    expect(await refusal({ sandboxClassName: "none" })).toMatchObject({
      reason: "SandboxClassNotFound",
      message: "SandboxClass none does not exist. Create it, name another, or make one the default.",
    });
  });

  it("an account that is not there", async () => {
    expect(await refusal({ serviceAccountName: "nobody" })).toMatchObject({
      reason: "ServiceAccountNotFound",
      message: `ServiceAccount ${world.namespace}/nobody does not exist. Create it, or name another.`,
    });
  });

  it("an account that may not use the class", async () => {
    await world.client.create(serviceAccounts, { metadata: { name: "other", namespace: world.namespace } });
    expect(await refusal({ serviceAccountName: "other" })).toMatchObject({
      reason: "OwnerNotAllowed",
      message: mayNot("other", `use sandboxclasses.runwright.dev ${world.namespace}`),
    });
  });

  it("an account that may use the class only as all users of the cluster may", async () => {
    await world.client.create(serviceAccounts, { metadata: { name: "other", namespace: world.namespace } });
    const use = { resources: ["sandboxclasses"], verbs: ["use"], resourceNames: [world.namespace] };
    await world.allowGroup("system:authenticated", [use]);
    expect(await refusal({ serviceAccountName: "other" })).toMatchObject({ reason: "OwnerNotAllowed" });
  });

  it("an account that may not read the repository, before it learns whether there is one", async () => {
    expect(await refusal({ target: { repositoryRefs: [{ name: "checkout" }] } })).toMatchObject({
      reason: "OwnerNotAllowed",
      message: mayNot("runner", "get repositories.runwright.dev checkout"),
    });
  });

  it("an account that may not read the environment", async () => {
    expect(await refusal({ target: { environmentRef: { name: "shop" } } })).toMatchObject({
      reason: "OwnerNotAllowed",
      message: mayNot("runner", "get environments.runwright.dev shop"),
    });
  });

  it.each([
    {
      target: { repositoryRefs: [{ name: "checkout" }, { name: "ledger" }] },
      plural: "repositories",
      name: "checkout",
    },
    { target: { repositoryRefs: [{ name: "checkout" }, { name: "ledger" }] }, plural: "repositories", name: "ledger" },
    { target: { environmentRef: { name: "shop" } }, plural: "repositories", name: "checkout" },
    { target: { environmentRef: { name: "shop" } }, plural: "repositories", name: "ledger" },
    { target: { environmentRef: { name: "shop" } }, plural: "environments", name: "shop" },
  ])("an account that lacks get of $plural $name alone, for $target", async ({ target, plural, name }) => {
    for (const repository of ["checkout", "ledger"]) await world.createRepository(repository);
    const metadata = { name: "shop", namespace: world.namespace };
    const repositoryRefs = [{ name: "checkout" }, { name: "ledger" }];
    await world.client.create(Environment, { metadata, spec: { repositoryRefs } });
    const all = [
      { resources: ["repositories"], verbs: ["get"], resourceNames: ["checkout"] },
      { resources: ["repositories"], verbs: ["get"], resourceNames: ["ledger"] },
      { resources: ["environments"], verbs: ["get"], resourceNames: ["shop"] },
    ];
    const isMissing = (rule: (typeof all)[number]): boolean =>
      rule.resources.includes(plural) && rule.resourceNames.includes(name);
    await world.allowRunner(all.filter((rule) => !isMissing(rule)));
    expect(await refusal({ target })).toMatchObject({
      reason: "OwnerNotAllowed",
      message: mayNot("runner", `get ${plural}.runwright.dev ${name}`),
    });
  });

  it("a repository that is not there", async () => {
    await world.allowRunner([reading]);
    expect(await refusal({ target: { repositoryRefs: [{ name: "checkout" }] } })).toMatchObject({
      reason: "RepositoryNotFound",
    });
  });

  it("an environment that is not there", async () => {
    await world.allowRunner([reading]);
    expect(await refusal({ target: { environmentRef: { name: "shop" } } })).toMatchObject({
      reason: "EnvironmentNotFound",
    });
  });

  it("a credential that is not there", async () => {
    await world.allowRunner([reading]);
    await world.createRepository("checkout", { credentialSecretRef });
    expect(await refusal({ target: { repositoryRefs: [{ name: "checkout" }] } })).toMatchObject({
      reason: "SecretNotFound",
      message: `Secret ${world.namespace}/git, the credential of Repository checkout, does not exist. Create it.`,
    });
  });

  it("a GitHub that the gateway does not speak to", async () => {
    await world.allowRunner([reading]);
    const apiURL = "https://github.example.com/api/v3";
    await world.createRepository("checkout", {
      url: "https://github.example.com/acme/checkout.git",
      githubApp: {
        appID: 1,
        privateKeySecretRef: { name: "app", key: "pem" },
        permissions: { contents: "write" },
        apiURL,
      },
    });
    expect(await refusal({ target: { repositoryRefs: [{ name: "checkout" }] } })).toMatchObject({
      reason: "InvalidSpec",
      message: expect.stringContaining(`spec.githubApp.apiURL ${apiURL} is not allowed`) as string,
    });
  });

  it.each([
    [2, "the API server finds the Secret too long"],
    [10, "the API server takes no such body"],
  ])("a bundle with the authorities of %i repositories, where %s", async (count) => {
    await world.allowRunner([reading]);
    const begin = "-----BEGIN CERTIFICATE-----";
    await aSecret("ca", { "ca.crt": begin.padEnd(700_000, "A") }, "Opaque");
    const names = Array.from({ length: count }, (_, index) => `big-${index}`);
    for (const name of names) await world.createRepository(name, { caSecretRef: { name: "ca" } });
    const verdict = await refusal({ target: { repositoryRefs: names.map((name) => ({ name })) } });
    expect(verdict).toMatchObject({
      reason: "BundleTooLarge",
      message: expect.stringMatching(
        /^the session's bundle of [0-9]{7} bytes does not fit a Secret, which has at most 1,048,576\. /,
      ) as string,
    });
  });

  it("a credential that was not made to be one", async () => {
    await world.allowRunner([reading]);
    await world.createRepository("checkout", { credentialSecretRef });
    await aSecret("git", { password: "planted" }, "Opaque");
    const verdict = await refusal({ target: { repositoryRefs: [{ name: "checkout" }] } });
    expect(verdict).toMatchObject({ reason: "InvalidSecret" });
    expect(JSON.stringify(verdict)).toContain("has no text under the key token");
    expect(JSON.stringify(verdict)).not.toContain("planted");
  });

  it("a class without an agent where the session has none", async () => {
    const name = `${world.namespace}-bare`;
    await world.createClass(name, { agent: undefined });
    expect(await refusal({ sandboxClassName: name })).toMatchObject({ reason: "AgentNotConfigured" });
  });
});

it("counts the use of a class that a group of the account has", async () => {
  const { namespace } = world;
  await world.client.create(serviceAccounts, { metadata: { name: "other", namespace } });
  const use = { resources: ["sandboxclasses"], verbs: ["use"], resourceNames: [namespace] };
  await world.allowGroup(`system:serviceaccounts:${namespace}`, [use]);
  const session = await world.createSession("fix", { serviceAccountName: "other" });
  await world.createPrompt(session, 1);
  await world.untilPod(1);
});

it("counts rights that a group of the account has", async () => {
  await world.allowGroup(`system:serviceaccounts:${world.namespace}`, [reading]);
  await world.createRepository("checkout");
  const session = await world.createSession("fix", { target: { repositoryRefs: [{ name: "checkout" }] } });
  await world.createPrompt(session, 1);
  await world.untilPod(1);
});

it("puts repositories with their credentials and the agent into the bundle, and nothing of it into the pod", async () => {
  await world.allowRunner([reading]);
  await aSecret("git", { username: "me", password: "planted" });
  await world.createRepository("checkout", { credentialSecretRef });
  await world.createRepository("ledger");
  const metadata = { name: "shop", namespace: world.namespace };
  const repositoryRefs = [{ name: "checkout" }, { name: "ledger" }];
  await world.client.create(Environment, { metadata, spec: { repositoryRefs } });
  const session = await world.createSession("fix", { target: { environmentRef: { name: "shop" } } });
  await world.createPrompt(session, 1);
  const pod = await world.untilPod(1);

  const uid = session.metadata.uid!;
  const secret = await world.client.get(secrets, { namespace: world.sessionsNamespace, name: `${uid}-1` });
  expect(secret.metadata.labels).toMatchObject({
    [labels.sessionUid]: uid,
    [labels.sessionName]: "fix",
    [labels.sessionNamespace]: world.namespace,
  });
  expect(Bundle.parse(JSON.parse(Buffer.from(secret.data!["bundle.json"]!, "base64").toString()))).toEqual({
    version: 1,
    session: { namespace: world.namespace, name: "fix", uid, attempt: 1 },
    repositories: [
      {
        name: "checkout",
        url: "https://git.example.com/checkout.git",
        branch: "main",
        credential: { username: "me", password: "planted" },
      },
      { name: "ledger", url: "https://git.example.com/ledger.git", branch: "main" },
    ],
    environment: {},
    agent: { command: ["agent"], protocol: "exec", permissionRequests: "Allow" },
    tunnels: { ports: [], waitSeconds: 30 },
    workspaceLimitBytes: 10 * 2 ** 30,
  });
  expect(JSON.stringify(pod)).not.toContain("planted");
  const policies = await world.client.list(networkPolicies, { namespace: world.namespace });
  expect(policies.items.map(({ metadata }) => metadata.name)).toEqual([
    "runwright-sandbox",
    `runwright-sandbox-${world.namespace}`,
  ]);
});

it("makes the account of sessions that name none, which may use the default class alone", async () => {
  const name = `${world.namespace}-default`;
  await world.createClass(name, { default: true });
  const session = await world.createSession("fix", {
    sandboxClassName: undefined,
    serviceAccountName: "runwright-sandbox",
    target: { repositoryRefs: [{ name: "checkout" }] },
  });
  await world.createRepository("checkout");
  await world.createPrompt(session, 1);
  const account = { namespace: world.namespace, name: "runwright-sandbox" };
  await world.until(
    "the account is bound to its Role",
    async () => (await world.client.find(roleBindings, account)) !== undefined,
  );
  // The API server takes a new Role into force in real time, which the controller's 10 s must not outrun.
  await world.until("its rights are in force", () => mayUse(account, name), 0);
  const pod = await world.untilPod(1);
  expect(pod.spec?.serviceAccountName).toBe("runwright-sandbox");
  expect(pod.metadata.labels?.[labels.sandboxClass]).toBe(name);
  // Until then a refusal may only mean that the new Role is not in force.
  world.clock.advance(10_000);
  const other = await world.createSession("other", { serviceAccountName: "runwright-sandbox" });
  await world.createPrompt(other, 1);
  await world.until("a verdict", async () => conditionOf(await world.prompt("other-1"), "Succeeded") !== undefined);
  expect(conditionOf(await world.prompt("other-1"), "Succeeded")).toMatchObject({ reason: "OwnerNotAllowed" });
});

it("says at once that admission refused the pod", async () => {
  const restricted = { "pod-security.kubernetes.io/enforce": "restricted" };
  await world.labelNamespace(restricted);
  const session = await world.createSession("fix");
  await world.createPrompt(session, 1);
  // Our own pods pass the strictest profile.
  await world.untilPod(1);

  await world.forbidPods();
  const next = await world.createSession("next");
  await world.createPrompt(next, 1);
  await world.until("a verdict", async () => conditionOf(await world.prompt("next-1"), "Succeeded") !== undefined);
  expect(conditionOf(await world.prompt("next-1"), "Succeeded")).toMatchObject({
    status: "False",
    reason: "PodRejected",
  });
  await world.rest(operator);
  expect(await world.bundles()).toEqual([`${session.metadata.uid!}-1`]);
});
