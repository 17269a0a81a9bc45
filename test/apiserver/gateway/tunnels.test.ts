import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:tls";
import { buffer } from "node:stream/consumers";

import { Agent, request } from "undici";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";

import { forwardLocally } from "../../../src/cli/gateway/local-forward.ts";
import { tunnelPath } from "../../../src/domain/tunnel-url.ts";
import { makeCaller, ours } from "../../support/people-world.ts";
import {
  type GatewayWorld,
  openGatewayWorld,
  startTestGateway,
  type TestGateway,
} from "../../support/runtime-gateway.ts";
import { type SandboxProcesses, startSandbox } from "../../support/runtime-processes.ts";
import { eventually, find, makeSandbox, type SandboxFixture, type World } from "../../support/runtime-world.ts";

// Processes start, and a busy machine takes its time.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

let opened: GatewayWorld;
let world: World;
/** The replica that the runtime is connected to, and another one. */
let near: TestGateway;
let far: TestGateway;
let sandbox: SandboxFixture;
let processes: SandboxProcesses;
let server: Server;
let port: number;
/** Nothing listens there. */
let closedPort: number;
let agent: Agent;
let token: string;
const notes: string[] = [];
const heard: { method: string; url: string; headers: IncomingMessage["headers"] }[] = [];

/** What an agent could have started in the sandbox, which is this machine. */
async function startServer(): Promise<Server> {
  const started = createServer((from, to) => {
    heard.push({ method: from.method ?? "", url: from.url ?? "", headers: from.headers });
    if (from.url === "/redirect")
      to.writeHead(307, { location: `https://${String(from.headers["x-forwarded-host"])}/automations` });
    else to.writeHead(203, { "set-cookie": "a=1; Path=/; Domain=example.com", "x-own": "kept" });
    from.pipe(to);
  });
  const sockets = new WebSocketServer({ server: started });
  sockets.on("connection", (socket) => socket.on("message", (data: Buffer) => socket.send(`heard ${data.toString()}`)));
  started.listen(0);
  await once(started, "listening");
  return started;
}

beforeAll(async () => {
  opened = await openGatewayWorld({ podName: "near", podIp: "127.0.0.1" });
  ({ world, gateway: near } = opened);
  far = await startTestGateway(world, opened.connection.client, { podName: "far", podIp: "127.0.0.1" });
  await eventually("the other replica is ready", () => far.notReadyBecause() === undefined);
  server = await startServer();
  port = (server.address() as AddressInfo).port;
  const gone = createServer().listen(0);
  closedPort = (gone.address() as AddressInfo).port;
  gone.close();
  agent = new Agent({ connect: { ca: world.ca } });
  token = await makeCaller(world, [ours("sessions/tunnel", "create")], "tenant");
  const ports = [port, closedPort];
  sandbox = await makeSandbox(world, { bundle: { tunnels: { ports, waitSeconds: 300 } } });
  processes = await startSandbox(world, sandbox, near.sandboxUrl);
  const tunnels = ports.map((one) => ({ port: one, url: `https://gateway.invalid/${one}/` }));
  await sandbox.status({ sandbox: { tunnels } });
  await eventually("ready", async () => (await sandbox.lease())?.metadata.annotations?.["runwright.dev/ready-time"]);
  const lease = `/apis/coordination.k8s.io/v1/namespaces/${world.release.namespace}/leases/gateway-near`;
  await eventually(
    "the replica's address",
    async () => (await find(lease))?.metadata.annotations?.["runwright.dev/people-address"],
  );
});

afterAll(async () => {
  processes.kill();
  await agent.close();
  await far.close();
  await opened.close();
  server.close();
});

const pathTo = (to = port): string => tunnelPath({ namespace: world.tenant, session: sandbox.session, port: to });

const send = (
  gateway: TestGateway,
  path: string,
  options: Omit<Parameters<typeof request>[1] & object, "dispatcher"> = {},
) =>
  request(`${gateway.peopleUrl}${path}`, {
    headers: { authorization: `Bearer ${token}` },
    ...options,
    dispatcher: agent,
  });

it("a request notes on the Lease that the sandbox is used", async () => {
  const begunMs = Date.now();
  await (await send(near, pathTo())).body.dump();
  expect(Date.parse(await sandbox.noted("tunnel-time"))).toBeGreaterThanOrEqual(begunMs - 60_000);
});

describe.each([
  ["the replica that has the runtime", () => near],
  ["another replica", () => far],
])("through %s", (_name, gateway) => {
  it("a request reaches the port, whole, and its answer comes back", async () => {
    const body = randomBytes(9_000_000);
    const headers = { authorization: `Bearer ${token}`, "x-mine": "1", cookie: "c=1" };
    const answer = await send(gateway(), `${pathTo()}/deep/er?q=%20x`, { method: "PUT", headers, body });
    expect([answer.statusCode, answer.headers]).toMatchObject([
      203,
      { "x-own": "kept", "set-cookie": `a=1; Path=${pathTo()}/` },
    ]);
    const back = await buffer(answer.body);
    expect(createHash("sha256").update(back).digest("hex")).toBe(createHash("sha256").update(body).digest("hex"));
    const seen = heard.at(-1)!;
    expect(seen).toMatchObject({
      method: "PUT",
      url: "/deep/er?q=%20x",
      headers: { "x-mine": "1", cookie: "c=1", host: `localhost:${port}`, "x-forwarded-prefix": pathTo() },
    });
    expect(JSON.stringify(seen.headers)).not.toContain(token);
    expect(Object.keys(seen.headers).filter((name) => name.startsWith("runwright-"))).toEqual([]);
  });

  it("a WebSocket talks both ways", async () => {
    const socket = new WebSocket(`${gateway().peopleUrl.replace("https", "wss")}${pathTo()}/live`, {
      headers: { authorization: `Bearer ${token}` },
      ca: world.ca,
    });
    await once(socket, "open");
    socket.send("hello");
    const [data] = (await once(socket, "message")) as [Buffer];
    expect(data.toString()).toBe("heard hello");
    socket.close();
    await once(socket, "close");
  });

  it("a redirect to the gateway itself stays with the sandbox", async () => {
    const answer = await send(gateway(), `${pathTo()}/redirect`);
    await answer.body.dump();
    expect(answer.headers.location).toBe(`${pathTo()}/automations`);
  });

  it("a port at which nothing listens is a bad gateway", async () => {
    const answer = await send(gateway(), pathTo(closedPort));
    const { code, error } = (await answer.body.json()) as { code: string; error: string };
    expect([answer.statusCode, code]).toEqual([502, "PortClosed"]);
    expect(error).toContain(`nothing answers at port ${closedPort} of the sandbox`);
  });
});

describe("forwarded to this machine", () => {
  let forward: Server;
  let address: string;
  beforeAll(async () => {
    forward = await forwardLocally(0, {
      prefix: pathTo(),
      connect: () => Promise.resolve(connect({ host: "localhost", port: far.ports.people, ca: world.ca })),
      token: () => Promise.resolve(token),
      note: (line) => void notes.push(line),
    });
    address = `127.0.0.1:${(forward.address() as AddressInfo).port}`;
  });
  afterAll(() => forward.close());

  it("a browser's request reaches the port without what would tell the gateway of it", async () => {
    const headers = { "sec-fetch-site": "none", authorization: "Basic mine" };
    const answer = await request(`http://${address}/x?y`, { method: "POST", headers, body: "said" });
    expect([answer.statusCode, await answer.body.text()]).toEqual([203, "said"]);
    expect(answer.headers["set-cookie"]).toBe("a=1; Path=/");
    expect(heard.at(-1)).toMatchObject({ method: "POST", url: "/x?y", headers: { "x-forwarded-prefix": pathTo() } });
    const redirect = await request(`http://${address}/redirect`);
    await redirect.body.dump();
    expect(redirect.headers.location).toBe("/automations");
  });

  it("a WebSocket talks both ways", async () => {
    const socket = new WebSocket(`ws://${address}/live`);
    await once(socket, "open");
    socket.send("hello");
    const [data] = (await once(socket, "message")) as [Buffer];
    expect(data.toString()).toBe("heard hello");
    socket.close();
    await once(socket, "close");
  });

  it("a page under another name gets nothing, and a gateway that is away is named", async () => {
    const before = heard.length;
    const answer = await request(`http://${address}/`, { headers: { host: "rebound.example.com" } });
    await answer.body.dump();
    expect([answer.statusCode, heard.length]).toEqual([403, before]);
    const away = await forwardLocally(0, {
      prefix: pathTo(),
      connect: () => Promise.reject(new Error("cannot be reached")),
      token: () => Promise.resolve(token),
      note: (line) => void notes.push(line),
    });
    const failed = await request(`http://127.0.0.1:${(away.address() as AddressInfo).port}/`);
    await failed.body.dump();
    away.close();
    expect([failed.statusCode, notes]).toEqual([502, ["the gateway gave no answer: cannot be reached"]]);
  });
});

describe("turns away", () => {
  it.each([
    { name: "a request without a token", want: 401, headers: {} },
    { name: "a browser that shows the gateway's own address", want: 403, headers: { "sec-fetch-site": "none" } },
    { name: "a port that was not asked for", want: 404, path: () => pathTo(1) },
    { name: "a session that is not there", want: 404, path: () => pathTo().replace(sandbox.session, "none") },
  ])("$name", async ({ want, headers, path = pathTo }) => {
    const before = heard.length;
    const authorization = `Bearer ${token}`;
    const sent = headers && want === 401 ? headers : { authorization, ...headers };
    const answer = await send(near, path(), { headers: sent });
    await answer.body.dump();
    expect(answer.statusCode).toBe(want);
    expect(heard.length).toBe(before);
  });

  it("who may not use tunnels of the session, also with a WebSocket", async () => {
    const other = await makeCaller(world, [ours("sessions", "get")], "tenant");
    const headers = { authorization: `Bearer ${other}` };
    const answer = await send(near, pathTo(), { headers });
    expect([answer.statusCode, await answer.body.json()]).toMatchObject([403, { code: "Forbidden" }]);
    const socket = new WebSocket(`${near.peopleUrl.replace("https", "wss")}${pathTo()}`, { headers, ca: world.ca });
    const [error] = (await once(socket, "error")) as [Error];
    expect(error.message).toContain("403");
  });

  it("a sandbox that dials a stream that was not asked for", async () => {
    const path = `/sandbox/v1/sessions/${sandbox.sessionUid}/attempts/1/streams/${"a".repeat(48)}`;
    const headers = { authorization: `Bearer ${await sandbox.token()}` };
    const socket = new WebSocket(`${near.sandboxUrl}${path}`, { headers, ca: world.ca });
    const [error] = (await once(socket, "error")) as [Error];
    expect(error.message).toContain("404");
  });
});

it("ends with the attempt", async () => {
  const socket = new WebSocket(`${near.peopleUrl.replace("https", "wss")}${pathTo()}/live`, {
    headers: { authorization: `Bearer ${token}` },
    ca: world.ca,
  });
  await once(socket, "open");
  const closed = once(socket, "close");
  await sandbox.status({ sandbox: { endTime: new Date().toISOString(), endReason: "Stopped" } });
  await closed;
  const answer = await send(near, pathTo());
  await answer.body.dump();
  expect(answer.statusCode).toBe(404);
});
