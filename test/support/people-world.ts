import { randomUUID } from "node:crypto";

import { Agent, request } from "undici";

import { peopleAudience } from "../../src/api/runtime/pod-contract.ts";
import type { Patience } from "../../src/gateway/api/rest-api.ts";
import type { GatewayDeps } from "../../src/gateway/start-gateway.ts";
import { type Rule, serviceAccountUser, untilAllowed } from "./authorized.ts";
import { testCluster } from "./cluster.ts";
import { type FaultProxy, startFaultProxy } from "./fault-proxy.ts";
import { gatewayConnection, startTestGateway, type TestGateway } from "./runtime-gateway.ts";
import { create, eventually, find, makeWorld, type World } from "./runtime-world.ts";

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Record<string, unknown>;
}

export interface Sent {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS";
  /** Left out: {@link PeopleWorld.token}; empty: none. */
  token?: string;
  body?: string;
  headers?: Record<string, string>;
}

export const ours = (resources: string, ...verbs: string[]): Rule => ({
  apiGroups: ["runwright.dev"],
  resources: [resources],
  verbs,
});
export const impersonate: Rule = { apiGroups: [""], resources: ["serviceaccounts"], verbs: ["impersonate"] };

/** All that the routes may ask for, in one namespace. */
const everything: readonly Rule[] = [
  ours("automations", "get", "list", "patch"),
  ours("runs", "list", "create"),
  ours("deliverylogs", "get"),
  ours("automations/key", "create"),
  impersonate,
];

/** A gateway whose people's port a test uses, behind a proxy that can break what it asks of the API server. */
export interface PeopleWorld {
  world: World;
  gateway: TestGateway;
  proxy: FaultProxy;
  /** Of an account that may do all in the tenant namespace. */
  token: string;
  send(path: string, sent?: Sent): Promise<Answer>;
  /** A token of a new account with these rights, in the tenant namespace or everywhere. */
  caller(rules: readonly Rule[], where?: "tenant" | "everywhere"): Promise<string>;
  makeAutomation(made?: { spec?: object; name?: string; namespace?: string }): Promise<MadeAutomation>;
  close(): Promise<void>;
}

export interface MadeAutomation {
  id: string;
  name: string;
  uid: string;
  /** What is stored now. */
  read(): Promise<{ metadata: { annotations?: Record<string, string> }; spec: { suspend: boolean } }>;
}

/** Long enough for a machine that is busy; what must be quick has tests of its own. */
const patient: Patience = { answerMs: 60_000, decisionMs: 30_000 };

export async function openPeopleWorld(
  patience: Patience | undefined = patient,
  archive?: GatewayDeps["archive"],
): Promise<PeopleWorld> {
  const world = await makeWorld();
  const proxy = await startFaultProxy(testCluster());
  const kube = await gatewayConnection(world, proxy);
  const gateway = await startTestGateway(world, kube.client, { patience, archive });
  const agent = new Agent({ connect: { ca: world.ca } });
  await eventually("the gateway is ready", () => gateway.notReadyBecause() === undefined);
  const caller: PeopleWorld["caller"] = (rules, where = "tenant") => makeCaller(world, rules, where);
  const token = await caller(everything);
  return {
    world,
    gateway,
    proxy,
    token,
    caller,
    send: (path, sent = {}) => send(agent, `${gateway.peopleUrl}${path}`, { token, ...sent }),
    makeAutomation: (made = {}) => makeAutomation(world, made),
    async close() {
      await agent.close();
      await gateway.close();
      await kube.close();
      await proxy.close();
      await world.close();
    },
  };
}

async function send(agent: Agent, url: string, { method = "GET", token = "", body, headers }: Sent): Promise<Answer> {
  const answer = await request(url, {
    dispatcher: agent,
    method,
    headers: {
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    body: body ?? null,
  });
  const text = await answer.body.text();
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>,
  };
}

/** A token of a new account with these rights. */
export async function makeCaller(
  world: World,
  rules: readonly Rule[],
  where: "tenant" | "everywhere",
  name = `caller-${randomUUID().slice(0, 8)}`,
): Promise<string> {
  const accounts = `/api/v1/namespaces/${world.tenant}/serviceaccounts`;
  const kind = where === "tenant" ? "Role" : "ClusterRole";
  const rbac = `/apis/rbac.authorization.k8s.io/v1${where === "tenant" ? `/namespaces/${world.tenant}` : ""}`;
  await create(accounts, { metadata: { name } });
  await create(`${rbac}/${kind.toLowerCase()}s`, { metadata: { name }, rules });
  await create(`${rbac}/${kind.toLowerCase()}bindings`, {
    metadata: { name },
    subjects: [{ kind: "ServiceAccount", name, namespace: world.tenant }],
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name },
  });
  await untilAllowed(serviceAccountUser(world.tenant, name), rules, where === "tenant" ? world.tenant : undefined);
  const spec = { expirationSeconds: 3600, audiences: [peopleAudience(world.release)] };
  const { status } = await create(`${accounts}/${name}/token`, { spec });
  return (status as { token: string }).token;
}

async function makeAutomation(
  world: World,
  {
    spec = {},
    name = `a-${randomUUID().slice(0, 8)}`,
    namespace = world.tenant,
  }: Parameters<PeopleWorld["makeAutomation"]>[0] & {},
): Promise<MadeAutomation> {
  const path = `/apis/runwright.dev/v1alpha1/namespaces/${namespace}/automations`;
  const { metadata } = await create(path, {
    apiVersion: "runwright.dev/v1alpha1",
    kind: "Automation",
    metadata: { name },
    spec: { instructions: "Do it.", serviceAccountName: "sandbox", trigger: { type: "Webhook", webhook: {} }, ...spec },
  });
  return {
    id: `${namespace}.${name}`,
    name,
    uid: metadata.uid,
    read: async () => (await find(`${path}/${name}`)) as unknown as Awaited<ReturnType<MadeAutomation["read"]>>,
  };
}
