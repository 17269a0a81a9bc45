import { readFile } from "node:fs/promises";

import { beforeAll, expect, it } from "vitest";

import { foreignDefinitions } from "../../hack/toolchain/foreign-definitions.ts";
import type { Deployment } from "../support/core-resources.ts";
import type { KubeObject } from "../../src/lib/resource.ts";
import { type Definition, installDefinitions } from "../support/control-plane.setup.ts";
import { parseManifests } from "../support/manifests.ts";
import { makeNamespace, testApi } from "../support/cluster.ts";
import { collectionPath } from "./support/api-paths.ts";
import { renderChart, type RenderedChart } from "./support/render.ts";
import { deliveryPaths } from "../../src/domain/deliveries/webhook-path.ts";

/** Strict validation refuses fields that the API server does not know. */
const dryRun = "?dryRun=All&fieldValidation=Strict";

/** Everything that can be switched on, each with what it needs. */
const everything = {
  commonLabels: { team: "platform" },
  podMonitor: { enabled: true, interval: "15s", labels: { prometheus: "main" } },
  prometheusRule: { enabled: true, labels: { prometheus: "main" } },
  dashboard: { enabled: true },
  flowSchema: { enabled: true },
  webhook: {
    hosts: ["hooks.example.com", "*.hooks.example.org"],
    ingress: { enabled: true, className: "nginx", annotations: { "example.com/a": "b" }, tlsSecretName: "hooks-tls" },
    httpRoute: {
      enabled: true,
      annotations: { "example.com/a": "b" },
      parentRefs: [{ name: "public", namespace: "gateways", sectionName: "https", port: 443 }],
    },
  },
  ingress: {
    autoscaling: { enabled: true },
    affinity: { nodeAffinity: {} },
    priorityClassName: "important",
    extraEnv: [{ name: "NODE_OPTIONS", value: "--max-old-space-size=256" }],
    extraVolumes: [{ name: "more", emptyDir: {} }],
    extraVolumeMounts: [{ name: "more", mountPath: "/more" }],
  },
  gateway: {
    certificate: { certManager: { issuerRef: { name: "internal" } } },
    autoscaling: { enabled: true, minReplicas: 1, maxReplicas: 1 },
    extraVolumes: [{ name: "more", emptyDir: {} }],
    extraVolumeMounts: [{ name: "more", mountPath: "/more" }],
  },
};

interface Rule {
  annotations: { runbook_url?: string };
}

const metricsFrom = { "networkPolicy.metricsFrom": [{ namespaceSelector: { matchLabels: { name: "monitoring" } } }] };
let chart: RenderedChart;
let wholeChart: RenderedChart;

beforeAll(async () => {
  const namespace = await makeNamespace("release");
  chart = await renderChart({ namespace, values: metricsFrom });
  wholeChart = await renderChart({ namespace, values: { ...metricsFrom, ...everything } });
  const definitions = await Promise.all((await foreignDefinitions()).map((path) => readFile(path, "utf8")));
  await installDefinitions(testApi(), definitions.flatMap(parseManifests) as Definition[]);
  // A cluster's own controllers make it; the chart's test pod runs under it, without a token.
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } };
  expect((await testApi().send("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, account)).status).toBe(201);
  // What lies in the private namespaces can be judged only when they are there.
  for (const object of chart.ofKind("Namespace")) {
    expect((await testApi().send("POST", "/api/v1/namespaces", object)).status).toBe(201);
  }
});

it.each([
  { name: "by default", rendered: () => chart },
  { name: "with everything switched on", rendered: () => wholeChart },
])("renders only what the API server takes $name", async ({ rendered }) => {
  const refused: unknown[] = [];
  const objects = rendered().all.filter(({ kind }) => kind !== "Namespace");
  for (const object of objects) {
    const { status, body } = await testApi().send("POST", (await collectionPath(testApi(), object)) + dryRun, object);
    if (status !== 201) refused.push({ kind: object.kind, name: object.metadata.name, status, body });
  }
  expect(refused).toEqual([]);
  expect(objects.length).toBeGreaterThan(20);
});

it("opens nothing, watches nothing and scales nothing by default", () => {
  const more = wholeChart.all.length - chart.all.length;
  const added = [
    "Ingress",
    "HTTPRoute",
    "PodMonitor",
    "PrometheusRule",
    "FlowSchema",
    "HorizontalPodAutoscaler",
    "ConfigMap",
    "Certificate",
  ];
  const always = /^runwright-(gateway-ca|first-run)$|-leases$/;
  const addedTo = (rendered: RenderedChart): KubeObject[] =>
    added.flatMap((kind) => rendered.ofKind(kind)).filter(({ metadata }) => !always.test(metadata.name ?? ""));
  expect(addedTo(chart)).toEqual([]);
  expect(addedTo(wholeChart)).toHaveLength(more);
  expect(more).toBe(9);
});

it("gives alerts the pages of a folder as runbooks, and none where no folder is named", async () => {
  const runbooks = async (values: Record<string, unknown>): Promise<unknown[]> => {
    const rendered = await renderChart({ values: { prometheusRule: { enabled: true, ...values } } });
    const [rule] = rendered.ofKind<KubeObject & { spec: { groups: { rules: Rule[] }[] } }>("PrometheusRule");
    return (rule?.spec.groups ?? []).flatMap(({ rules }) => rules.map(({ annotations }) => annotations.runbook_url));
  };
  const named = await runbooks({ runbooks: "https://docs.example.com/alerts/" });
  expect(named).toContain("https://docs.example.com/alerts/RunwrightNoLeader.md");
  expect(named).toHaveLength((await runbooks({})).length);
  expect(new Set(named).size).toBe(named.length);
  expect(new Set(await runbooks({}))).toEqual(new Set([undefined]));
});

it("opens the paths for deliveries of the ingress and no other", () => {
  const service = "runwright-ingress";
  const [ingress] = wholeChart.ofKind<KubeObject & { spec: { rules: unknown[]; tls: unknown[] } }>("Ingress");
  const prefixes = Object.values(deliveryPaths);
  const backend = { service: { name: service, port: { name: "http" } } };
  const paths = prefixes.map((path) => ({ path, pathType: "Prefix", backend }));
  const { hosts } = everything.webhook;
  expect(ingress?.spec.rules).toEqual(hosts.map((host) => ({ host, http: { paths } })));
  expect(ingress?.spec.tls).toEqual([{ hosts, secretName: "hooks-tls" }]);
  const [route] = wholeChart.ofKind<KubeObject & { spec: { hostnames: string[]; rules: unknown[] } }>("HTTPRoute");
  expect(route?.spec.hostnames).toEqual(hosts);
  expect(route?.spec.rules).toEqual([
    {
      matches: prefixes.map((value) => ({ path: { type: "PathPrefix", value } })),
      backendRefs: [{ name: service, port: 80 }],
    },
  ]);
});

it("leaves replicas to the autoscaler, and selectors as they were", () => {
  const specs = (rendered: RenderedChart): Map<string | undefined, Deployment["spec"]> =>
    new Map(rendered.ofKind<Deployment>("Deployment").map(({ metadata, spec }) => [metadata.name, spec]));
  const scaled = specs(wholeChart);
  const replicas = [...scaled].map(([name, spec]) => [name, spec?.replicas]);
  expect(Object.fromEntries(replicas)).toEqual({
    "runwright-controller": 2,
    "runwright-ingress": undefined,
    "runwright-gateway": undefined,
  });
  for (const [name, spec] of specs(chart)) {
    expect(scaled.get(name)?.selector).toEqual(spec?.selector);
    expect(scaled.get(name)?.template.metadata?.labels).toEqual({
      ...spec?.template.metadata?.labels,
      team: "platform",
    });
  }
});

it("leaves to a cluster admin what takes one, and nothing else", async () => {
  const values = { ...metricsFrom, ...everything, watchNamespaces: ["shop"] };
  const { namespace } = wholeChart.ofKind("Deployment")[0]!.metadata;
  const whole = await renderChart({ ...(namespace === undefined ? {} : { namespace }), values });
  const without = await renderChart({
    ...(namespace === undefined ? {} : { namespace }),
    values: { ...values, adminObjects: false },
  });
  const admin = await renderChart({
    ...(namespace === undefined ? {} : { namespace }),
    values,
    showOnly: ["templates/admin/*", "templates/generated/*"],
  });
  const namesOf = ({ all }: RenderedChart): string[] =>
    all.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ""}/${metadata.name}`).sort();
  expect([...namesOf(without), ...namesOf(admin)].sort()).toEqual(namesOf(whole));
  expect(without.all.filter(({ metadata }) => !metadata.namespace)).toEqual([]);
  const kinds = new Set(admin.all.map(({ kind }) => kind));
  expect([...kinds].sort()).toEqual(
    [
      ...["Certificate", "ClusterRole", "ClusterRoleBinding", "FlowSchema", "Namespace", "Role", "RoleBinding"],
      ...["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"],
    ].sort(),
  );
});

it("names every object once", () => {
  const names = wholeChart.all.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ""}/${metadata.name}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

it("shares no name with another release of the cluster", async () => {
  const other = await renderChart({ name: "other", namespace: "elsewhere", values: { ...metricsFrom, ...everything } });
  const clusterScoped = (rendered: RenderedChart): string[] =>
    rendered.all.filter(({ metadata }) => !metadata.namespace).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  const names = new Set(clusterScoped(wholeChart));
  expect(clusterScoped(other).filter((name) => names.has(name))).toEqual([]);
});
