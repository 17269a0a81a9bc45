import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WebSocketServer } from "ws";

import { ensurePki, readPem } from "../../../hack/lib/pki.ts";
import { systemClock } from "../../lib/clock.ts";
import { type Cluster, openCluster } from "../cluster/cluster.ts";
import { openGatewayApi } from "./gateway-api.ts";
import type { GatewayTarget } from "./gateway-target.ts";

const configMapPath = "/api/v1/namespaces/runwright-system/configmaps/runwright-gateway-ca";
const target: GatewayTarget = {
  release: { name: "runwright", namespace: "runwright-system" },
  server: undefined,
  certificateAuthority: undefined,
  serviceAccount: undefined,
  usesKubeconfigToken: true,
};

/** What serves as the port of the gateway's pod. */
interface Pod {
  port: number;
  server: Server;
}

let directory: string;
let cluster: Cluster;
let apiServer: Server;
let authority: string;
let pods: Record<"gateway" | "namesake" | "rogue", Pod>;
/** Where the API server forwards the port of the one pod that is ready. */
let ready: Pod;
/** Tokens that a pod got, and connections that were forwarded to it. */
let tokens: (string | undefined)[];
let forwarded: number;
let configMap: object | undefined;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "runwright-cli-"));
  const [own, other] = [join(directory, "own"), join(directory, "other")];
  await Promise.all([mkdir(own), mkdir(other)]);
  const named = (name: string, host: string): Parameters<typeof ensurePki>[1][number] => {
    return { name, subject: `/CN=${name}`, extension: `subjectAltName=DNS:${host}` };
  };
  const gateway = named("gateway", "runwright-gateway.runwright-system.svc");
  await ensurePki(own, [gateway, named("namesake", "runwright-gateway.elsewhere.svc")]);
  await ensurePki(other, [gateway]);
  authority = await readPem(own, "ca.crt");
  pods = {
    gateway: await makePod(own, "gateway"),
    namesake: await makePod(own, "namesake"),
    rogue: await makePod(other, "gateway"),
  };
  apiServer = makeApiServer();
  await once(apiServer.listen(0, "127.0.0.1"), "listening");
  const { port } = apiServer.address() as AddressInfo;
  const kubeconfig = join(directory, "kubeconfig");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    // Nothing but this flag lets the client talk plain HTTP.
    clusters: [{ name: "c", cluster: { server: `http://127.0.0.1:${port}`, "insecure-skip-tls-verify": true } }],
    users: [{ name: "u", user: { token: "persons-token" } }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    "current-context": "c",
  };
  await writeFile(kubeconfig, JSON.stringify(config));
  cluster = openCluster(systemClock, { kubeconfig, context: undefined });
});
afterAll(async () => {
  await cluster.close();
  for (const server of [apiServer, ...Object.values(pods).map((pod) => pod.server)]) server.close();
  await rm(directory, { recursive: true });
});
beforeEach(() => {
  ready = pods.gateway;
  [tokens, forwarded] = [[], 0];
  configMap = { data: { "ca.crt": authority } };
});

async function makePod(folder: string, name: string): Promise<Pod> {
  const [cert, key] = await Promise.all([readPem(folder, `${name}.crt`), readPem(folder, `${name}.key`)]);
  const server = createTlsServer({ cert, key }, (request, response) => {
    tokens.push(request.headers.authorization);
    response.end("{}");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { server, port: (server.address() as AddressInfo).port };
}

/** An API server with one ready pod of the gateway's labels, whose port it forwards as the kube-apiserver does. */
function makeApiServer(): Server {
  const isReady = { conditions: [{ type: "Ready", status: "True" }] };
  const server = createServer((request, response) => {
    const path = request.url?.split("?")[0];
    const found =
      path === configMapPath
        ? configMap && { metadata: {}, ...configMap }
        : { metadata: { resourceVersion: "1" }, items: [{ metadata: { name: "first" }, status: isReady }] };
    response.writeHead(found ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(found ?? { kind: "Status", reason: "NotFound", message: "not found" }));
  });
  const sockets = new WebSocketServer({ server, handleProtocols: () => "v4.channel.k8s.io" });
  sockets.on("connection", (socket) => {
    forwarded += 1;
    const pod = connect(ready.port, "127.0.0.1").on("error", () => socket.close());
    socket.on("message", (frame: Buffer) => pod.write(frame.subarray(1)));
    socket.on("close", () => pod.destroy());
    // Each frame begins with its channel, and the first of a channel goes on with the port.
    socket.send(Buffer.from([0, 0, 0]));
    pod.on("data", (data) => socket.send(Buffer.concat([Buffer.from([0]), data])));
    pod.on("close", () => socket.close());
  });
  return server;
}

async function call(to: Partial<GatewayTarget> = {}): Promise<unknown> {
  const api = await openGatewayApi({ cluster: () => cluster, clock: systemClock }, { ...target, ...to });
  return api.post("/anything", {});
}

describe("by a port-forward the plugin", () => {
  it("shows a token to the pod that has the gateway's certificate", async () => {
    expect(await call()).toEqual({ status: 200, body: {} });
    expect(tokens).toEqual(["Bearer persons-token"]);
  });

  it.each(["rogue", "namesake"] as const)("shows none to a %s with the gateway's labels", async (name) => {
    ready = pods[name];
    await expect(call()).rejects.toThrow(/cannot be reached: .*(certificate|altnames)/);
    expect([forwarded, tokens]).toEqual([1, []]);
  });

  it.each([
    ["is not there", undefined],
    ["is new", {}],
    ["has other data", { data: { "tls.crt": "text" } }],
    ["is empty", { data: { "ca.crt": "" } }],
  ])("connects to none while the ConfigMap with the authorities %s", async (_, found) => {
    configMap = found;
    await expect(call()).rejects.toThrow(
      /^ConfigMap runwright-system\/runwright-gateway-ca has no ca\.crt.*\n.*--certificate-authority FILE$/,
    );
    expect([forwarded, tokens]).toEqual([0, []]);
  });

  it("checks the pod by --certificate-authority instead where it is given", async () => {
    configMap = undefined;
    await call({ certificateAuthority: join(directory, "own", "ca.crt") });
    expect(tokens).toEqual(["Bearer persons-token"]);
    const other = call({ certificateAuthority: join(directory, "other", "ca.crt") });
    await expect(other).rejects.toThrow(/cannot be reached: .*certificate/);
    expect(tokens).toHaveLength(1);
  });
});
