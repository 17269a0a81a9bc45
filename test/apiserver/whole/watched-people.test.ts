import { Agent, request } from "undici";
import { afterAll, beforeAll, expect, it } from "vitest";

import { peopleAudience } from "../../../src/api/runtime/pod-contract.ts";
import { Automation, gatewayTlsSecretName, Prompt, Run, Session } from "../../../src/api/v1alpha1/index.ts";
import type { Operation } from "../../../src/gateway/http/router.ts";
import { operations } from "../../../src/gateway/api/openapi.ts";
import { secrets } from "../../../src/kube/core-resources.ts";
import type { KubeObject, Resource } from "../../../src/lib/resource.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { newNamespace, until } from "../../support/kube.ts";
import { World } from "./world.ts";

interface Route {
  method: "GET" | "POST";
  path: string;
  body?: string;
}

const bodies: Partial<Record<string, string>> = {
  createPrompt: '{"text":"Go on."}',
  setSigningSecret: `{"secret":"${"a".repeat(32)}"}`,
};
const routes: Route[] = [
  ...Object.entries<Operation>(operations)
    .filter(([, { path }]) => path.includes("{id}"))
    .map(([id, { method, path }]) => ({
      method: method === "get" ? ("GET" as const) : ("POST" as const),
      path,
      ...(bodies[id] === undefined ? {} : { body: bodies[id] }),
    })),
  { method: "GET", path: "/sessions/{id}/events" },
  { method: "POST", path: "/sessions/{id}/images", body: "GIF89a" },
  { method: "GET", path: "/sessions/{id}/tunnels/8080/" },
];

let world: World;
/** A namespace that is not watched, with all that is in the one that is. */
let elsewhere: string;
let api: ApiClient;
let agent: Agent;
/** Tokens of who may do everything everywhere, and of who may do nothing. */
let admin: string;
let nobody: string;

beforeAll(async () => {
  world = await World.make({ watchesTenantAlone: true });
  elsewhere = await newNamespace(world.client, "elsewhere");
  const { spec } = await world.client.get(Automation, { namespace: world.namespace, name: "fix" });
  await world.client.create(Automation, { metadata: { name: "fix", namespace: elsewhere }, spec });
  for (const namespace of [world.namespace, elsewhere]) {
    await world.client.create(Session, { metadata: { name: "fix", namespace }, spec: {} } as Session);
  }
  const ask = { sessionRef: { name: "fix" }, text: "Do it." };
  await world.client.create(Prompt, { metadata: { name: "ask", namespace: elsewhere }, spec: ask });
  world.startGateway();
  await world.startController();
  await until("the gateway is ready", () => world.isReady("gateway"));
  const tls = await world.client.get(secrets, { namespace: world.sessionsNamespace, name: gatewayTlsSecretName });
  agent = new Agent({ connect: { ca: Buffer.from(tls.data?.["ca.crt"] ?? "", "base64") } });
  api = world.connect();
  [admin, nobody] = [await tokenOf("admin"), await tokenOf("nobody")];
  await post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
    metadata: { name: "admin" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", name: "admin", namespace: world.namespace }],
  });
  await until(
    "the account has its rights",
    async () => (await send({ method: "GET", path: "/automations" })).status === 200,
  );
});
afterAll(async () => {
  await agent.close();
  await api.close();
  await world.close();
});

async function post(path: string, object: object): Promise<unknown> {
  const { status, body } = await api.send("POST", path, object);
  if (status !== 201) throw new Error(`POST ${path}: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** A token for the people's API, of a new account. */
async function tokenOf(name: string): Promise<string> {
  const accounts = `/api/v1/namespaces/${world.namespace}/serviceaccounts`;
  await post(accounts, { metadata: { name } });
  const audiences = [peopleAudience({ name: "runwright", namespace: world.release.namespace })];
  const issued = await post(`${accounts}/${name}/token`, { spec: { audiences, expirationSeconds: 3_600 } });
  return (issued as { status: { token: string } }).status.token;
}

interface Answer {
  status: number;
  body: { code?: string; error?: string; automations?: { id: string }[]; sessions?: { id: string }[] };
}

async function send({ method, path, body }: Route, token = admin): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const options = { dispatcher: agent, method, headers, body: body ?? null };
  const answer = await request(`${world.peopleUrl}${path}`, options);
  return { status: answer.statusCode, body: (await answer.body.json()) as Answer["body"] };
}

function of(namespace: string, { path, ...route }: Route): Route {
  return { ...route, path: path.replace("{id}", `${namespace}.fix`).replace("{promptId}", "ask") };
}

/** What people could have changed there. */
async function storedElsewhere(): Promise<unknown[]> {
  const kinds: Resource<KubeObject>[] = [Automation, Run, Session, Prompt];
  const lists = await Promise.all(kinds.map((kind) => world.client.list(kind, { namespace: elsewhere })));
  return lists.flatMap(({ items }) => items);
}

it.each(routes)(
  "answers $method $path 404 for what is not watched, and nothing is asked or changed there",
  async (route) => {
    const before = await storedElsewhere();
    const { status, body } = await send(of(elsewhere, route));
    expect([status, body.code]).toEqual([404, "NotFound"]);
    expect(body.error).toContain(`namespace ${elsewhere} is not served`);
    expect(await storedElsewhere()).toEqual(before);
    const { seen } = world.proxies.gateway;
    expect(seen.filter(({ path, status: answered }) => path.includes(elsewhere) || answered === 403)).toEqual([]);
  },
);

it("answers 403 before that to who may not ask", async () => {
  const answers = await Promise.all(routes.map((route) => send(of(elsewhere, route), nobody)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403]));
});

it.each(["automations", "sessions"] as const)("lists %s of watched namespaces alone", async (kind) => {
  const list = (query: string): Promise<Answer> => send({ method: "GET", path: `/${kind}${query}` });
  const ids = ({ body }: Answer): unknown => body[kind]?.map(({ id }) => id);
  const all = await list("");
  expect([all.status, ids(all)]).toEqual([200, [`${world.namespace}.fix`]]);
  const one = await list(`?namespace=${world.namespace}`);
  expect([one.status, ids(one)]).toEqual([200, [`${world.namespace}.fix`]]);
  const other = await list(`?namespace=${elsewhere}`);
  expect([other.status, other.body.code]).toEqual([404, "NotFound"]);
});

it("serves what is watched", async () => {
  const { status, body } = await send(of(world.namespace, { method: "GET", path: "/automations/{id}" }));
  expect([status, body]).toMatchObject([200, { automation: { id: `${world.namespace}.fix` } }]);
});
