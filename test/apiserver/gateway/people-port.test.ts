import { createHash, randomUUID } from "node:crypto";

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Agent, request } from "undici";

import { peopleAudience, sandboxAudience } from "../../../src/api/runtime/pod-contract.ts";
import { serviceAccountUser, untilAllowed } from "../../support/authorized.ts";
import { testApi, testCluster } from "../../support/cluster.ts";
import { type GatewayWorld, openGatewayWorld, type TestGateway } from "../../support/runtime-gateway.ts";
import {
  change,
  create,
  eventually,
  find,
  makePod,
  makeSandbox,
  requestToken,
  type World,
} from "../../support/runtime-world.ts";

let world: World;
let gateway: TestGateway;
let opened: GatewayWorld;
let agent: Agent;
/** A token of an account that may create keys in the tenant namespace. */
let token: string;

beforeAll(async () => {
  opened = await openGatewayWorld();
  ({ world, gateway } = opened);
  agent = new Agent({ connect: { ca: world.ca } });
  await allow("sandbox");
  token = await requestToken(world, undefined, peopleAudience(world.release));
});

afterAll(async () => {
  await agent.close();
  await opened.close();
});

async function allow(account: string): Promise<void> {
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${world.tenant}`;
  const rules = [{ apiGroups: ["runwright.dev"], resources: ["automations/key"], verbs: ["create"] }];
  await create(`${rbac}/roles`, { metadata: { name: account }, rules });
  await create(`${rbac}/rolebindings`, {
    metadata: { name: account },
    subjects: [{ kind: "ServiceAccount", name: account, namespace: world.tenant }],
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: account },
  });
  await untilAllowed(serviceAccountUser(world.tenant, account), rules, world.tenant);
}

async function makeAutomation(trigger: object): Promise<{ name: string; uid: string; id: string }> {
  const name = `a-${randomUUID().slice(0, 8)}`;
  const { metadata } = await create(`/apis/runwright.dev/v1alpha1/namespaces/${world.tenant}/automations`, {
    apiVersion: "runwright.dev/v1alpha1",
    kind: "Automation",
    metadata: { name },
    spec: { displayName: "Test", instructions: "Do it.", serviceAccountName: "sandbox", trigger },
  });
  return { name, uid: metadata.uid, id: `${world.tenant}.${name}` };
}

const webhook = (): Promise<{ name: string; uid: string; id: string }> =>
  makeAutomation({ type: "Webhook", webhook: {} });

async function post(
  path: string,
  options: { token?: string; body?: string } = {},
): Promise<{ status: number; body: unknown }> {
  const authorization = options.token === "" ? {} : { authorization: `Bearer ${options.token ?? token}` };
  const answer = await request(`${gateway.peopleUrl}${path}`, {
    dispatcher: agent,
    method: "POST",
    headers: { ...authorization, "content-type": "application/json" },
    body: options.body ?? null,
  });
  return { status: answer.statusCode, body: await answer.body.json() };
}

const storedHash = async (uid: string): Promise<string | undefined> => {
  const secret = await find(`/api/v1/namespaces/${world.release.keysNamespace}/secrets/automation-${uid}`);
  const { sha256 } = (secret as { data?: { sha256?: string } } | undefined)?.data ?? {};
  return sha256 === undefined ? undefined : Buffer.from(sha256, "base64").toString("utf8");
};

describe("regenerating a key", () => {
  it("answers a new key after its hash has been stored for 2 s", async () => {
    const automation = await webhook();
    const startMs = performance.now();
    const { status, body } = await post(`/automations/${automation.id}/regenerate-key`);
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(1_990);
    expect(status).toBe(200);
    const { webhookApiKey, webhookUrl } = body as Record<string, string>;
    expect(webhookApiKey).toMatch(/^[\w-]{43}$/);
    expect(webhookUrl).toBe(`https://hooks.example.com/webhooks/automation/${automation.id}`);
    const hash = createHash("sha256").update(webhookApiKey!).digest("hex");
    expect(await storedHash(automation.uid)).toBe(hash);
    const secret = await find(`/api/v1/namespaces/${world.release.keysNamespace}/secrets/automation-${automation.uid}`);
    expect(secret?.metadata).toMatchObject({
      labels: { "runwright.dev/automation-uid": automation.uid },
      annotations: { "runwright.dev/key-hint": hash.slice(0, 8) },
    });
    expect(JSON.stringify(secret)).not.toContain(webhookApiKey);
    expect(gateway.logs.join("")).not.toContain(webhookApiKey);
  });

  it("replaces the key, and with create refuses to", async () => {
    const automation = await webhook();
    const path = `/automations/${automation.id}/regenerate-key`;
    const first = await post(path, { body: '{"create":true}' });
    expect(first.status).toBe(200);
    const hash = await storedHash(automation.uid);
    expect(await post(path, { body: '{"create":true}' })).toMatchObject({ status: 409, body: { code: "KeyExists" } });
    expect(await storedHash(automation.uid)).toBe(hash);
    expect((await post(path)).status).toBe(200);
    expect(await storedHash(automation.uid)).not.toBe(hash);
  });

  it("lets one of two at the same moment win and tells the other", async () => {
    const automation = await webhook();
    const path = `/automations/${automation.id}/regenerate-key`;
    await post(path);
    const both = await Promise.all([post(path), post(path)]);
    const won = both.filter(({ status }) => status === 200);
    const keys = won.map(({ body }) =>
      createHash("sha256")
        .update((body as { webhookApiKey: string }).webhookApiKey)
        .digest("hex"),
    );
    expect(both.map(({ status }) => status).every((status) => status === 200 || status === 409)).toBe(true);
    expect(keys).toContain(await storedHash(automation.uid));
  });

  it("is for webhooks whose hash we keep", async () => {
    const manual = await makeAutomation({ type: "Manual" });
    expect(await post(`/automations/${manual.id}/regenerate-key`)).toMatchObject({
      status: 400,
      body: { code: "NotAWebhook", error: expect.stringContaining("Manual") as unknown },
    });
    const gitOps = await makeAutomation({ type: "Webhook", webhook: { keyHashSecretRef: { name: "k" } } });
    const refused = { status: 409, body: { code: "KeyManagedBySecret" } };
    expect(await post(`/automations/${gitOps.id}/regenerate-key`)).toMatchObject(refused);
  });

  it.each([
    { name: "an automation that is not there", path: (): string => `${world.tenant}.none`, want: 404 },
    { name: "an id without a dot", path: (): string => "none", want: 404 },
    { name: "an id that is no name", path: (): string => `${world.tenant}.No_Name`, want: 404 },
    { name: "a namespace without rights", path: (): string => "default.none", want: 403 },
  ])("answers $want for $name", async ({ path, want }) => {
    expect((await post(`/automations/${path()}/regenerate-key`)).status).toBe(want);
  });

  it.each(["{", "[]", '{"create":1}', '{"other":true}', "null"])("answers 400 for the body %s", async (body) => {
    const automation = await webhook();
    expect(await post(`/automations/${automation.id}/regenerate-key`, { body })).toMatchObject({
      status: 400,
      body: { code: "InvalidRequest" },
    });
    expect(await storedHash(automation.uid)).toBeUndefined();
  });
});

describe("who is known", () => {
  const path = (): string => `/automations/${world.tenant}.none/regenerate-key`;

  it("takes our own audience and the API server's", async () => {
    expect((await post(path())).status).toBe(404);
    expect((await post(path(), { token: await requestToken(world, undefined, undefined) })).status).toBe(404);
  });

  it("takes a token of our own audience, which is worth nothing at the API server", async () => {
    const askAs = async (bearer: string): Promise<number> => {
      const { server, certificateAuthority } = testCluster();
      const dispatcher = new Agent({ connect: { ca: certificateAuthority } });
      const headers = { authorization: `Bearer ${bearer}` };
      const answer = await request(`${server}/apis/runwright.dev/v1alpha1`, { dispatcher, headers });
      await answer.body.dump();
      await dispatcher.close();
      return answer.statusCode;
    };
    expect(await askAs(token)).toBe(401);
    expect(await askAs(await requestToken(world, undefined, undefined))).toBe(200);
  });

  it("takes a token that is bound to a pod which is no sandbox", async () => {
    const pod = await makePod(world, `runner-${randomUUID().slice(0, 8)}`);
    expect((await post(path(), { token: await requestToken(world, pod, undefined) })).status).toBe(404);
  });

  it("refuses a sandbox's token, an unknown one, and a request without one", async () => {
    const sandbox = await makeSandbox(world);
    const never = {
      sandboxPort: await sandbox.token(),
      unboundSandbox: await requestToken(world, undefined, sandboxAudience(world.release)),
      otherRelease: await requestToken(world, undefined, `runwright-api.${world.release.namespace}.other`),
      nonsense: "nonsense",
      nothing: "",
    };
    for (const [name, tried] of Object.entries(never)) {
      expect(await post(path(), { token: tried }), name).toMatchObject({ status: 401, body: { code: "Unauthorized" } });
    }
    // Even with a token of the right audience, once the watch has shown which pod it is.
    const bound = await sandbox.token(peopleAudience(world.release));
    await eventually("the sandbox is known", async () =>
      (await post(path(), { token: bound })).status === 401 ? true : undefined,
    );
  });

  it.each([
    {
      who: "a build",
      plural: "prebuiltimages",
      kind: "PrebuiltImage",
      spec: { repositoryRef: { name: "r" }, sandboxClassName: "standard", serviceAccountName: "sandbox" },
      statusOf: (pod: { name: string; uid: string }) => ({
        sandbox: { attempt: 1, podName: pod.name, podUID: pod.uid, createTime: new Date().toISOString() },
      }),
    },
    {
      who: "a sandbox that waits in a pool",
      plural: "sandboxpools",
      kind: "SandboxPool",
      spec: { sandboxClassName: "standard", serviceAccountName: "sandbox", replicas: 1 },
      statusOf: (pod: { name: string; uid: string }) => ({
        members: [{ number: 1, podName: pod.name, podUID: pod.uid, revision: "r" }],
      }),
    },
  ])("refuses the token of $who, whatever its audience", async ({ plural, kind, spec, statusOf }) => {
    const name = `o-${randomUUID().slice(0, 8)}`;
    const pod = await makePod(world, name);
    const owners = `/apis/runwright.dev/v1alpha1/namespaces/${world.tenant}/${plural}`;
    await create(owners, { apiVersion: "runwright.dev/v1alpha1", kind, metadata: { name }, spec });
    await change(`${owners}/${name}/status`, { status: statusOf(pod) });
    const bound = await requestToken(world, pod, peopleAudience(world.release));
    await eventually("the pod is known", async () =>
      (await post(path(), { token: bound })).status === 401 ? true : undefined,
    );
  });

  it("asks the API server about both audiences at once, so that a token for both is a sandbox's", async () => {
    const { body } = await testApi().send("POST", `/api/v1/namespaces/${world.tenant}/serviceaccounts/sandbox/token`, {
      spec: { audiences: [peopleAudience(world.release), sandboxAudience(world.release)] },
    });
    const both = (body as { status: { token: string } }).status.token;
    expect(await post(path(), { token: both })).toMatchObject({ status: 401 });
  });

  it("says no in the same words for what it does not know", async () => {
    expect(await post("/anything")).toEqual({ status: 404, body: { error: "Not found", code: "NotFound" } });
  });
});
