import { beforeAll, describe, expect, it } from "vitest";

import type { Deployment } from "../support/core-resources.ts";
import { renderChart, type RenderedChart } from "./support/render.ts";

// Argo CD, kustomize and server-side apply refuse an object that has a key twice. The parser of renderChart does so, too.

const processes = ["controller", "ingress", "gateway", "connector", "web"];

/** Labels that the chart has by itself for some objects, and one that is everywhere. */
const common = { team: "platform", "istio.io/dataplane-mode": "ambient", grafana_dashboard: "0" };
const specific = { team: "special", "istio.io/dataplane-mode": "none", grafana_dashboard: "2" };
const annotations = { "linkerd.io/inject": "enabled", "helm.sh/resource-policy": "keep", "helm.sh/hook": "test" };

const ofProcess = {
  podLabels: specific,
  podAnnotations: annotations,
  extraEnv: [{ name: "NODE_OPTIONS", value: "--max-old-space-size=256" }],
  extraVolumes: [{ name: "more", emptyDir: {} }],
  extraVolumeMounts: [
    { name: "more", mountPath: "/more" },
    { name: "more", mountPath: "/as-well" },
  ],
};

/** Every map that values put beside one of the chart's, with keys that both or several have. */
const values = {
  commonLabels: common,
  ...ofEach(processes, ofProcess),
  ...ofEach(["ingress", "gateway", "web"], { "service.annotations": annotations }),
  ...ofEach(["podMonitor", "prometheusRule", "dashboard"], { enabled: true, labels: specific }),
  "networkPolicy.metricsFrom": [{ podSelector: { matchLabels: common } }],
  "webhook.hosts": ["hooks.example.com"],
  "webhook.ingress": { enabled: true, annotations },
  "webhook.httpRoute": { enabled: true, annotations, parentRefs: [{ name: "public" }] },
  "connector.enabled": true,
  "web.enabled": true,
  "web.url": "https://runwright.example.com",
  "web.oidc": {
    issuer: "https://issuer.example.com",
    clientID: "page",
    clientSecretName: "page",
    authoritiesConfigMapName: "authorities",
  },
  "tracing.endpoint": "http://collector.observability.svc:4318",
  "flowSchema.enabled": true,
  "ingress.autoscaling.enabled": true,
  "gateway.certificate.certManager.issuerRef.name": "internal",
  "settings.tunnelPorts": [3000],
  imagePullSecrets: [{ name: "registry" }],
};

const stores = [
  {
    name: "volumes",
    values: { "gateway.blobStore.directory.volume": "persistentVolumeClaim", watchNamespaces: ["shop", "payments"] },
  },
  {
    name: "servers",
    values: {
      "gateway.blobStore": { type: "s3", s3: { bucket: "blobs", credentialsSecretName: "s3" } },
      archive: { mode: "postgresql", postgresql: { host: "db.example.com", credentialsSecretName: "db" } },
    },
  },
];

describe.each(stores)("with everything switched on and stores on $name", ({ values: store }) => {
  let chart: RenderedChart;
  beforeAll(async () => {
    chart = await renderChart({ values: { ...values, ...store } });
  });

  it("no object has a key twice, and labels of its own count before common ones", () => {
    const labelled = chart.all.map(({ kind, metadata }) => [
      kind,
      (metadata as Deployment["metadata"]).labels?.team ?? "none",
    ]);
    const special = labelled.filter(([, team]) => team === "special").map(([kind]) => kind);
    expect(special).toEqual(expect.arrayContaining(["PodMonitor", "PrometheusRule", "ConfigMap"]));
    expect(special).toHaveLength(3);
    expect(labelled.filter(([, team]) => team === "none")).toEqual([]);
    for (const { spec } of chart.ofKind<Deployment>("Deployment")) {
      expect(spec?.template.metadata?.labels).toMatchObject(specific);
    }
  });

  it("no pod has a variable, volume or mount path twice", () => {
    const pods = chart.ofKind<Deployment>("Deployment").map(({ spec }) => spec?.template.spec);
    expect(pods).toHaveLength(processes.length);
    for (const pod of pods) {
      const [container] = pod?.containers ?? [];
      const { env = [], volumeMounts = [] } = container ?? {};
      const variables = env.map(({ name }) => name);
      expect(variables).toContain("NODE_OPTIONS");
      expect(repeated(variables)).toEqual([]);
      expect(repeated((pod?.volumes ?? []).map(({ name }) => name))).toEqual([]);
      expect(repeated(volumeMounts.map(({ mountPath }) => mountPath))).toEqual([]);
    }
  });
});

function ofEach(names: readonly string[], given: Record<string, unknown>): Record<string, unknown> {
  const paths = names.flatMap((name) =>
    Object.entries(given).map(([key, value]) => [`${name}.${key}`, value] as const),
  );
  return Object.fromEntries(paths);
}

function repeated(names: readonly string[]): string[] {
  return names.filter((name, at) => names.indexOf(name) < at);
}

describe("refuses, with the value's name", () => {
  const taken = "which the chart sets itself: take it out, or give it another name";
  const label = "app.kubernetes.io/instance";

  it.each(["commonLabels", "web.podLabels", "podMonitor.labels", "prometheusRule.labels", "dashboard.labels"])(
    "a label of the chart's in %s",
    async (value) => {
      const given = renderChart({ values: { [value]: { [label]: "mine" } } });
      await expect(given).rejects.toThrow(`${value} has ${label}, ${taken}`);
    },
  );

  it("another level for the pods of its namespaces", async () => {
    const given = renderChart({ values: { commonLabels: { "pod-security.kubernetes.io/enforce": "privileged" } } });
    await expect(given).rejects.toThrow(`commonLabels has pod-security.kubernetes.io/enforce, ${taken}`);
  });

  it.each([
    { value: "ingress.extraEnv", extra: { name: "LOG_LEVEL", value: "debug" }, says: "[1].name is LOG_LEVEL" },
    { value: "controller.extraEnv", extra: { name: "POD_IP", value: "::1" }, says: "[1].name is POD_IP" },
    { value: "gateway.extraVolumes", extra: { name: "blobs" }, says: "[1].name is blobs" },
    {
      value: "gateway.extraVolumeMounts",
      extra: { name: "first", mountPath: "/var/lib/runwright/blobs" },
      says: "[1].mountPath is /var/lib/runwright/blobs",
    },
  ])("$value with one of the chart's own", async ({ value, extra, says }) => {
    const first = { name: "first", ...("mountPath" in extra && { mountPath: "/first" }) };
    const given = renderChart({ values: { [value]: [first, extra] } });
    await expect(given).rejects.toThrow(`${value}${says}, ${taken}`);
  });

  it.each([
    { value: "ingress.extraEnv", extra: { name: "A", value: "b" }, says: "[1].name is A" },
    { value: "connector.extraVolumes", extra: { name: "more" }, says: "[1].name is more" },
    {
      value: "web.extraVolumeMounts",
      extra: { name: "more", mountPath: "/more" },
      says: "[1].mountPath is /more",
    },
  ])("$value with an entry twice", async ({ value, extra, says }) => {
    const given = renderChart({
      values: { "connector.enabled": true, "web.enabled": true, [value]: [extra, extra] },
    });
    await expect(given).rejects.toThrow(`${value}${says}, which an entry before it has: leave one of them`);
  });

  it.each([
    { value: "imagePullSecrets", says: "/imagePullSecrets" },
    { value: "webhook.httpRoute.parentRefs", says: "/webhook/httpRoute/parentRefs" },
  ])("$value with an entry twice", async ({ value, says }) => {
    await expect(renderChart({ values: { [value]: [{ name: "a" }, { name: "a" }] } })).rejects.toThrow(says);
  });
});
