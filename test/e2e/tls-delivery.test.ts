import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { makeServerCertificate, type ServerCertificate } from "./support/certificates.ts";
import { type Entrance, openEntrance } from "./support/delivery.ts";
import { release } from "./support/install.ts";
import { samplePayload } from "./support/payload.ts";
import { apply, kubectl } from "./support/workbench.ts";
import { Run } from "../../src/api/v1alpha1/index.ts";
import { renderChart } from "../chart/support/render.ts";
import { until } from "../support/kube.ts";
import { type IngressController, send, serveIngress, type TlsAnswer } from "./support/nginx.ts";
import { makeTenant, openStage, type Stage, type Tenant } from "./support/tenant.ts";

const host = "hooks.example.com";
const tlsSecretName = "hooks-tls";
/** Of no real network: if it shows anywhere, it came from the header. */
const claimedAddress = "203.0.113.77";
const longestBody = 65_536;
/** client_max_body_size, as it is unless set. */
const longestBodyOfNginx = 1_048_576;

let stage: Stage;
let tenant: Tenant;
let entrance: Entrance;
let certificate: ServerCertificate;
let controller: IngressController;

beforeAll(async () => {
  stage = await openStage("tls");
  tenant = await makeTenant(stage);
  certificate = await makeServerCertificate([host]);
  const values = { webhook: { hosts: [host], ingress: { enabled: true, className: "nginx", tlsSecretName } } };
  const ingresses = (await renderChart({ ...release, values })).ofKind("Ingress");
  const metadata = { namespace: release.namespace, name: tlsSecretName };
  const stringData = { "tls.crt": certificate.certificate, "tls.key": certificate.key };
  await apply(stage.bench, [
    ...ingresses,
    { apiVersion: "v1", kind: "Secret", metadata, type: "kubernetes.io/tls", stringData },
  ]);
  entrance = await openEntrance(stage.bench);
  const { namespace, name } = release;
  controller = await serveIngress(stage.bench, { namespace, name: `${name}-ingress`, upstream: entrance.baseUrl });
});

afterAll(async () => {
  await controller.stop();
  entrance.close();
  await kubectl(stage.bench, [
    ...["-n", release.namespace, "delete", "--ignore-not-found"],
    ...[`ingress/${release.name}-ingress`, `secret/${tlsSecretName}`],
  ]);
  await tenant.close();
  await stage.close();
});

/** A delivery with the tenant's key, over TLS that the test's own authority vouches for. */
function deliver(body: string, more: { path?: string; host?: string; ca?: string } = {}): Promise<TlsAnswer> {
  return send({
    port: controller.port,
    host,
    path: `/webhooks/automation/${tenant.automation}`,
    ca: certificate.authority,
    headers: {
      authorization: `Bearer ${tenant.key}`,
      "content-type": "application/json",
      "x-forwarded-for": claimedAddress,
    },
    body,
    ...more,
  });
}

/** JSON that no filter matches, of so many bytes. */
function bodyOf(bytes: number): string {
  const start = '{"severity": "none", "filler": "';
  return `${start}${"x".repeat(bytes - start.length - 2)}"}`;
}

it("stores the Run of a delivery that comes over TLS", async () => {
  const { body } = await samplePayload({ keyed: true });
  const answer = await deliver(JSON.stringify(body));
  expect(answer).toMatchObject({ status: 200 });
  expect(JSON.parse(answer.text)).toEqual({ ok: true, triggered: 1, skipped: 0, steered: 0 });
  const { items } = await stage.bench.client.list(Run, { namespace: tenant.namespace });
  expect(items.map(({ spec }) => spec.trigger.deliveryID)).toEqual([answer.deliveryId]);
  const again = await deliver(JSON.stringify(body));
  expect(JSON.parse(again.text)).toEqual({ ok: true, triggered: 0, skipped: 1, steered: 0 });
});

it("vouches for the host by the Ingress' own Secret", async () => {
  const { authority } = await makeServerCertificate([host]);
  await expect(deliver("{}", { ca: authority })).rejects.toThrow(/certificate/);
});

describe("bodies", () => {
  it.each([
    { name: "the longest", bytes: longestBody, status: 200, isOurs: true },
    { name: "one byte more, which the ingress refuses", bytes: longestBody + 1, status: 413, isOurs: true },
    { name: "the longest that nginx lets through", bytes: longestBodyOfNginx, status: 413, isOurs: true },
    { name: "what nginx itself refuses", bytes: longestBodyOfNginx + 1, status: 413, isOurs: false },
  ])("$name", async ({ bytes, status, isOurs }) => {
    const answer = await deliver(bodyOf(bytes));
    expect({ status: answer.status, isOurs: answer.deliveryId !== undefined }).toEqual({ status, isOurs });
    if (isOurs) expect(JSON.parse(answer.text)).toHaveProperty(status === 200 ? "ok" : "error");
  });
});

describe("what the Ingress does not open", () => {
  it.each(["/", "/healthz", "/metrics", "/webhooks/automations", "/webhooks"])("the path %s", async (path) => {
    expect(await deliver("{}", { path })).toMatchObject({ status: 404, deliveryId: undefined });
  });

  it("another host", async () => {
    await expect(deliver("{}", { host: "other.example.com" })).rejects.toThrow();
  });
});

it("writes down no address that a sender claims, nor nginx's", async () => {
  const { deliveryId = "none" } = await deliver(bodyOf(100));
  const selector = `app.kubernetes.io/instance=${release.name},app.kubernetes.io/component=ingress`;
  let logs = "";
  await until("the delivery is in the log, where its address would be", async () => {
    logs = await kubectl(stage.bench, ["-n", release.namespace, "logs", "--tail=-1", "-l", selector]);
    return logs.includes(deliveryId);
  });
  expect(logs.includes(claimedAddress)).toBe(false);
});
