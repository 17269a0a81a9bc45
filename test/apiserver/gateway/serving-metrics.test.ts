import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:tls";

import { Agent, request } from "undici";
import { afterAll, beforeAll, expect, it } from "vitest";

import { sandboxPath } from "../../../src/api/runtime/pod-contract.ts";
import { until } from "../../support/kube.ts";
import { type GatewayWorld, openGatewayWorld } from "../../support/runtime-gateway.ts";

let opened: GatewayWorld;
let agent: Agent;
beforeAll(async () => {
  opened = await openGatewayWorld();
  agent = new Agent({ connect: { ca: opened.world.ca } });
});
afterAll(async () => {
  await agent.close();
  await opened.close();
});

async function ask(url: string, method: "GET" | "POST"): Promise<number> {
  const { statusCode, body } = await request(url, { dispatcher: agent, method });
  await body.dump();
  return statusCode;
}

async function metric(name: string): Promise<string[]> {
  const text = await opened.gateway.registry.getSingleMetricAsString(name);
  return text.split("\n").filter((line) => line.startsWith(name));
}

/** Waits until so many series have counted: a request is counted when its answer has left, which its sender may see before. */
async function counted(name: string, series: number): Promise<string[]> {
  const counts = async (): Promise<string[]> => (await metric(name)).filter((line) => line.startsWith(`${name}_count`));
  await until(`${name} has ${series} series`, async () => (await counts()).length === series);
  return await counts();
}

it("times requests of people by method, and leaves out what is no route of the API", async () => {
  const { peopleUrl } = opened.gateway;
  const paths = ["/automations", "/sessions/a.b/stop", "/nowhere", "/sessions/a.b/tunnels/3000/"];
  const methods = ["GET", "POST", "GET", "GET"] as const;
  const statuses = await Promise.all(paths.map((path, index) => ask(`${peopleUrl}${path}`, methods[index] ?? "GET")));
  expect(statuses).toEqual([401, 401, 404, 401]);
  const name = "runwright_gateway_people_request_duration_seconds";
  expect(await counted(name, 2)).toEqual([`${name}_count{method="GET"} 1`, `${name}_count{method="POST"} 1`]);
  expect(await metric("runwright_gateway_connections")).toContainEqual(
    expect.stringMatching(/^runwright_gateway_connections\{port="people"\} [1-4]$/),
  );
});

it("times requests of sandboxes by path", async () => {
  const base = opened.gateway.sandboxUrl.replace("wss:", "https:");
  const path = sandboxPath("0", 1);
  expect(await ask(`${base}${path}/children`, "POST")).toBe(401);
  expect(await ask(`${base}${path}/images/0`, "GET")).toBe(404);
  const name = "runwright_gateway_sandbox_request_duration_seconds";
  expect(await counted(name, 2)).toEqual([`${name}_count{path="/children"} 1`, `${name}_count{path="/images"} 1`]);
});

it("says when the certificate that it shows is over", async () => {
  const { port } = new URL(opened.gateway.peopleUrl);
  const socket = connect({ port: Number(port), host: "localhost", servername: "localhost", ca: opened.world.ca });
  await once(socket, "secureConnect");
  const { validToDate } = new X509Certificate(socket.getPeerCertificate().raw);
  socket.destroy();
  const name = "runwright_gateway_certificate_expiration_timestamp_seconds";
  expect(await metric(name)).toEqual([`${name} ${validToDate.getTime() / 1_000}`]);
});
