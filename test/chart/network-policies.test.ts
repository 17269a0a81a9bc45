import { describe, expect, it } from "vitest";

import type { NetworkPolicy } from "../../src/kube/core-resources.ts";
import { renderChart } from "./support/render.ts";

/** Ports that a process may reach on any host, by its policy; sorted. */
async function reached(process: string, values: Record<string, unknown>): Promise<(number | string | undefined)[]> {
  const policies = (await renderChart({ name: "rw", values })).ofKind<NetworkPolicy>("NetworkPolicy");
  const policy = policies.find(({ metadata }) => metadata.name === `rw-${process}`);
  const open = policy?.spec?.egress?.filter(({ to }) => to === undefined) ?? [];
  return open
    .flatMap(({ ports }) => ports ?? [])
    .filter(({ protocol }) => protocol === "TCP")
    .map(({ port }) => port)
    .sort();
}

it.each([
  { urls: ["https://ghe:8443/api/v3"], ports: [6443, 8443] },
  { urls: ["https://api.github.com"], ports: [443, 6443] },
  {
    urls: ["https://api.github.com", "https://ghe.example.com/api/v3", "https://ghe:8443"],
    ports: [443, 6443, 8443],
  },
])("the gateway reaches GitHub at $urls, which no other process does", async ({ urls, ports }) => {
  const values = { "networkPolicy.apiServerPorts": [6443], "gateway.githubAPIURLs": urls };
  expect(await reached("gateway", values)).toEqual(ports);
  expect(await reached("controller", values)).toEqual([6443]);
  expect(await reached("ingress", values)).toEqual([6443]);
});

const peers = [{ ipBlock: { cidr: "192.0.2.0/24" } }];
const all = {
  "connector.enabled": true,
  "web.enabled": true,
  "web.url": "https://rw.example.com",
  "web.oidc.issuer": "https://login.example.com:9443",
  "web.oidc.clientID": "rw",
  "tracing.endpoint": "http://collector:4318",
  "gateway.githubAPIURLs": ["https://ghe:7443"],
  "connector.githubURL": "https://ghe:7443",
  "gateway.blobStore.type": "s3",
  "gateway.blobStore.s3.bucket": "blobs",
  "gateway.blobStore.s3.credentialsSecretName": "s3",
  "gateway.blobStore.s3.endpoint": "http://minio:9000",
  "archive.mode": "postgresql",
  "archive.postgresql.host": "db",
  "archive.postgresql.credentialsSecretName": "db",
  "networkPolicy.apiServerPorts": [6443],
};

async function policyOf(process: string, values: Record<string, unknown>): Promise<NetworkPolicy["spec"]> {
  const policies = (await renderChart({ name: "rw", values })).ofKind<NetworkPolicy>("NetworkPolicy");
  return policies.find(({ metadata }) => metadata.name === `rw-${process}`)?.spec;
}

it.each([
  ["apiServerTo", "controller", 6443],
  ["apiServerTo", "ingress", 6443],
  ["apiServerTo", "gateway", 6443],
  ["apiServerTo", "connector", 6443],
  ["providersTo", "gateway", 7443],
  ["providersTo", "connector", 443],
  ["blobStoreTo", "gateway", 9000],
  ["archiveTo", "gateway", 5432],
  ["tracingTo", "controller", 4318],
  ["tracingTo", "ingress", 4318],
  ["issuerTo", "web", 9443],
])(
  "networkPolicy.%s limits where the %s reaches port %d, which is anywhere without it",
  async (name, process, port) => {
    const leadsTo = async (values: Record<string, unknown>): Promise<unknown[]> => {
      const { egress = [] } = (await policyOf(process, { ...all, ...values })) ?? {};
      return egress.filter(({ ports }) => ports?.some((one) => one.port === port)).map(({ to }) => to);
    };
    expect(await leadsTo({})).toEqual([undefined]);
    expect(await leadsTo({ [`networkPolicy.${name}`]: peers })).toEqual([peers]);
  },
);

it.each(["controller", "ingress", "gateway", "connector", "web"])(
  "the %s asks the cluster's DNS alone",
  async (process) => {
    const { egress = [] } = (await policyOf(process, all)) ?? {};
    const dns = egress.filter(({ ports }) => ports?.some(({ port }) => port === 53));
    expect(dns).toMatchObject([
      {
        to: [
          {
            namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } },
            podSelector: { matchLabels: { "k8s-app": "kube-dns" } },
          },
          {
            namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "openshift-dns" } },
            podSelector: { matchLabels: { "dns.operator.openshift.io/daemonset-dns": "default" } },
          },
          { ipBlock: { cidr: "169.254.20.10/32" } },
        ],
      },
    ]);
    expect(dns[0]?.ports?.map(({ port }) => port)).toEqual([53, 53, 5353, 5353]);
    expect((await policyOf(process, { ...all, "networkPolicy.dnsTo": peers }))?.egress).toContainEqual(
      expect.objectContaining({ to: peers }),
    );
  },
);

describe("who may call", () => {
  const callers = async (process: string, port: number, values: Record<string, unknown>): Promise<unknown> => {
    const { ingress = [] } = (await policyOf(process, { ...all, ...values })) ?? {};
    return ingress.find(({ ports }) => ports?.some((one) => one.port === port))?.from;
  };
  const own = (...components: readonly string[]): object[] =>
    components.map((component) => ({
      podSelector: {
        matchLabels: {
          "app.kubernetes.io/name": "runwright",
          "app.kubernetes.io/instance": "rw",
          "app.kubernetes.io/component": component,
        },
      },
    }));

  it.each([
    ["ingress", 8080, "webhooksFrom", own("test")],
    ["gateway", 8444, "peopleFrom", own("gateway", "connector", "web")],
    ["web", 8080, "webFrom", []],
  ])(
    "the %s at port %d is anyone, and by networkPolicy.%s these and pods of the release",
    async (process, port, name, also) => {
      expect(await callers(process, port, {})).toBeUndefined();
      expect(await callers(process, port, { [`networkPolicy.${name}`]: peers })).toEqual([...peers, ...also]);
    },
  );

  it("the gateway's port of sandboxes are sandboxes", async () => {
    const sandboxes = { matchLabels: { "app.kubernetes.io/component": "sandbox" } };
    expect(await callers("gateway", 8443, {})).toEqual([{ namespaceSelector: {}, podSelector: sandboxes }]);
  });
});

describe("a PodMonitor", () => {
  const monitored = { "podMonitor.enabled": true };

  it("is refused where network policies let no pod read metrics", async () => {
    await expect(renderChart({ values: monitored })).rejects.toThrow(
      "podMonitor.enabled is true, but networkPolicy.metricsFrom is empty",
    );
  });

  it.each([
    { "networkPolicy.metricsFrom": [{ namespaceSelector: { matchLabels: { name: "monitoring" } } }] },
    { "networkPolicy.enabled": false },
  ])("is taken with %j", async (values) => {
    const chart = await renderChart({ values: { ...monitored, ...values } });
    expect(chart.ofKind("PodMonitor")).toHaveLength(1);
  });
});
