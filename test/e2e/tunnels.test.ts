import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { Agent, request } from "undici";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";

import { Session } from "../../src/api/v1alpha1/index.ts";
import { servePlugin, type ServingPlugin } from "./support/plugin.ts";
import { accountName, repositoryName } from "./support/tenant-objects.ts";
import { until } from "../support/kube.ts";
import { useBranch } from "./support/branch.ts";
import { makePerson, openPeoplePort, type PeoplePort, tokenOf } from "./support/people.ts";
import { makeTenant, openStage, type Stage, type Tenant } from "./support/tenant.ts";

// A server that start.sh leaves in the agent's container, and a person who looks at it from outside the cluster.

const port = 3000;
const session = "preview";

let stage: Stage;
let tenant: Tenant;
let people: PeoplePort;
let agent: Agent;
let path: string;
let editor: string;
let authorization: string;
let plugin: ServingPlugin;

beforeAll(async () => {
  stage = await openStage("tunnels");
  const { bench } = stage;
  tenant = await makeTenant(stage, { command: ["true"] });
  const { namespace } = tenant;
  await useBranch(stage, tenant, {
    ".runwright/preview.mjs": await readFile(join(import.meta.dirname, "support", "preview-server.mjs"), "utf8"),
    ".runwright/start.sh": "node .runwright/preview.mjs &\n",
  });
  const key = { namespace, name: session };
  await bench.client.create(Session, {
    metadata: key,
    spec: {
      target: { repositoryRefs: [{ name: repositoryName }] },
      settings: { tunnelPorts: [port] },
      sandboxClassName: namespace,
      serviceAccountName: accountName,
      idleTimeoutSeconds: 600,
    },
  });
  editor = await makePerson(bench, namespace, "edit");
  authorization = `Bearer ${await tokenOf(bench, namespace, editor)}`;
  people = await openPeoplePort(bench);
  agent = new Agent({ connect: people.tls });

  await until("the sandbox is ready", async () => {
    const { sandbox } = (await bench.client.get(Session, key)).status ?? {};
    path = new URL(sandbox?.tunnels?.find((tunnel) => tunnel.port === port)?.url ?? "https://none").pathname;
    return sandbox?.readyTime !== undefined;
  });
  // It begins to listen when start.sh has returned, or before.
  await until("the server listens", async () => (await look({ authorization })).status !== 502);
  const where = ["--local-port", "0", "--service-account", `${namespace}/${editor}`];
  plugin = await servePlugin(bench, ["session", "tunnel", `${namespace}/${session}`, String(port), ...where]);
});

afterAll(async () => {
  await plugin.close();
  await agent.close();
  people.close();
  await tenant.close();
  await stage.close();
});

async function look(headers: Record<string, string>): Promise<{ status: number; body: unknown }> {
  const url = `https://${people.authority}${path}totals?of=today`;
  const answer = await request(url, { headers, dispatcher: agent });
  return { status: answer.statusCode, body: await answer.body.json() };
}

/** What comes back for a message. */
async function talk(socket: WebSocket): Promise<string> {
  await once(socket, "open");
  socket.send("hello");
  const [data] = (await once(socket, "message")) as [Buffer];
  socket.close();
  await once(socket, "close");
  return data.toString();
}

it("shows the sandbox's server at the gateway to who may use tunnels", async () => {
  expect(await look({ authorization })).toMatchObject({
    status: 200,
    body: {
      method: "GET",
      url: "/totals?of=today",
      headers: { host: `localhost:${port}`, "x-forwarded-host": people.authority },
    },
  });
});

it("joins a WebSocket with it", async () => {
  const headers = { authorization };
  expect(await talk(new WebSocket(`wss://${people.authority}${path}live`, { headers, ...people.tls }))).toBe("hello");
});

it("shows it to no other person", async () => {
  const viewer = await makePerson(stage.bench, tenant.namespace, "view");
  const token = await tokenOf(stage.bench, tenant.namespace, viewer);
  expect(await look({ authorization: `Bearer ${token}` })).toMatchObject({ status: 403, body: { code: "Forbidden" } });
  expect(await look({})).toMatchObject({ status: 401 });
});

it("reads from kubectl runwright session tunnel that a person needs an account", async () => {
  const open = servePlugin(stage.bench, ["session", "tunnel", `${tenant.namespace}/${session}`, String(port)]);
  await expect(open).rejects.toThrow(/status 1: .*for ServiceAccounts only/s);
});

it("shows it at a port of this machine by kubectl runwright session tunnel", async () => {
  const answer = await request(new URL("/totals?of=today", plugin.address));
  expect(answer.statusCode).toBe(200);
  expect(await answer.body.json()).toMatchObject({ method: "GET", url: "/totals?of=today" });
  expect(await talk(new WebSocket(`ws://${plugin.address.host}/live`))).toBe("hello");
});
