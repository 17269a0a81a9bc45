import { beforeAll, describe, expect, it } from "vitest";

import type { NetworkPolicy, Service, ServiceAccount } from "../../src/kube/core-resources.ts";
import type { KubeObject } from "../../src/lib/resource.ts";
import { readWebConfig } from "../../src/config/web.ts";
import type { Deployment } from "../support/core-resources.ts";
import { renderChart, type RenderedChart } from "./support/render.ts";

const oidc = {
  "web.enabled": true,
  "web.url": "https://runwright.example.com",
  "web.namespace": "shop",
  "web.tokenSignIn": false,
  "web.oidc.issuer": "https://id.example.com:8443/realm",
  "web.oidc.clientID": "page",
  "web.oidc.clientSecretName": "page-client",
  "web.oidc.authoritiesConfigMapName": "id-ca",
  "gateway.service.peoplePort": 9444,
};
let chart: RenderedChart;

beforeAll(async () => {
  chart = await renderChart({ name: "rw", namespace: "tools", values: oidc });
});

// The kind says the type.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
const named = <T extends KubeObject>(kind: string): T | undefined =>
  chart.ofKind<T>(kind).find(({ metadata }) => metadata.name === "rw-web");

function environment(): Record<string, string> {
  const [container] = named<Deployment>("Deployment")?.spec?.template.spec?.containers ?? [];
  return Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value ?? "from-the-pod"]));
}

it("is not there unless it is wanted", async () => {
  const without = await renderChart({ name: "rw", namespace: "tools" });
  expect(without.all.filter(({ metadata }) => metadata.name === "rw-web")).toEqual([]);
});

it("is started with what the values say", () => {
  expect(readWebConfig(environment())).toMatchObject({
    port: 8080,
    gateway: { url: "https://rw-gateway.tools.svc:9444", authoritiesFile: "/var/run/runwright/gateway-ca/ca.crt" },
    takesTokens: false,
    namespace: "shop",
    provider: {
      issuer: "https://id.example.com:8443/realm",
      clientId: "page",
      clientSecretFile: "/var/run/runwright/oidc-client/clientSecret",
      scopes: "openid",
      pageUrl: "https://runwright.example.com",
    },
  });
});

it("has one replica, no token of the cluster, and no role", () => {
  const { spec } = named<Deployment>("Deployment") ?? {};
  expect(spec).toMatchObject({ replicas: 1, strategy: { type: "Recreate" } });
  expect(spec?.template.spec).toMatchObject({ serviceAccountName: "rw-web", automountServiceAccountToken: false });
  expect(named<ServiceAccount>("ServiceAccount")).toMatchObject({ automountServiceAccountToken: false });
  const bindings = chart.all.filter(({ kind }) => kind.endsWith("RoleBinding"));
  expect(JSON.stringify(bindings)).not.toContain("rw-web");
});

it("reaches the gateway, names and the provider, and not the API server", () => {
  const { egress = [] } = named<NetworkPolicy>("NetworkPolicy")?.spec ?? {};
  expect(egress.flatMap(({ ports = [] }) => ports.map(({ port }) => port))).toEqual([8444, 53, 53, 5353, 5353, 8443]);
});

it("is reached by its Service", () => {
  expect(named<Service>("Service")?.spec).toMatchObject({ ports: [{ port: 80, targetPort: "http" }] });
});

describe("values that no person could sign in with", () => {
  it.each([
    [{ "web.tokenSignIn": false }, /no person could sign in/],
    [{ "web.oidc.issuer": "https://id.example.com", "web.url": "https://r.example.com" }, /clientID is empty/],
    [{ "web.oidc.issuer": "https://id.example.com", "web.oidc.clientID": "page" }, /web\.url is empty/],
    [{ "web.oidc.issuer": "http://id.example.com" }, /issuer/],
    [{ "web.oidc.scopes": "profile" }, /scopes/],
  ])("%j are refused", async (values, message) => {
    await expect(renderChart({ values: { "web.enabled": true, ...values } })).rejects.toThrow(message);
  });
});
