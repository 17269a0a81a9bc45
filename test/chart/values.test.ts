import { describe, expect, it } from "vitest";

import type { NetworkPolicy } from "../../src/kube/core-resources.ts";
import type { Deployment, Namespace } from "../support/core-resources.ts";
import { readTracingConfig } from "../../src/config/tracing.ts";
import { renderChart } from "./support/render.ts";

describe("values that are refused", () => {
  it.each([
    { name: "no image", values: { "image.repository": "" }, says: "set it to where you pushed the operator's image" },
    { name: "an image that is null", values: { "image.repository": null }, says: "image.repository is empty" },
    { name: "an unknown value", values: { replicas: 3 }, says: "replicas" },
    { name: "an unknown value of a process", values: { "controller.replica": 3 }, says: "replica" },
    ...[["Shop"], ["a.b"], ["n".repeat(64)], ["shop", "shop"], "shop"].map((watchNamespaces) => ({
      name: `watched namespaces ${JSON.stringify(watchNamespaces)}`,
      values: { watchNamespaces },
      says: "/watchNamespaces",
    })),
    {
      name: "an issuer that is no name",
      values: { "gateway.certificate.certManager.issuerRef.name": ["a"] },
      says: "/gateway/certificate/certManager/issuerRef/name",
    },
    { name: "an unknown setting", values: { "settings.executionTimeout": "2h" }, says: "executionTimeout" },
    { name: "replicas below 0", values: { "ingress.replicas": -1 }, says: "/ingress/replicas" },
    { name: "replicas over 100", values: { "ingress.replicas": 101 }, says: "/ingress/replicas" },
    {
      name: "a boot budget within the connect watchdog",
      values: { "settings.sandboxBootTimeoutMs": 240_000 },
      says: "240,001",
    },
    {
      name: "an execution timeout of 0",
      values: { "settings.executionTimeoutMs": 0 },
      says: "/settings/executionTimeoutMs",
    },
    {
      name: "an execution timeout over 7 days",
      values: { "settings.executionTimeoutMs": 604_800_001 },
      says: "/settings/executionTimeoutMs",
    },
    ...[
      ["sandboxTimeoutMs", 999],
      ["sandboxTimeoutMs", 1_500],
      ["sandboxTimeoutMs", 604_801_000],
      ["finalSnapshotBufferMs", 299_000],
      ["tunnelPorts", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]],
      ["tunnelPorts", [3000, 3000]],
      ["buildTimeoutSeconds", 3_601],
      ["maxConcurrentChildSessions", -1],
      ["maxTotalChildSessions", 1_001],
      ["maxSessionCostUsd", "0"],
      ["maxSessionCostUsd", 5],
    ].map(([name, value]) => ({
      name: `${String(name)} ${JSON.stringify(value)}`,
      values: { [`settings.${String(name)}`]: value },
      says: `/settings/${String(name)}`,
    })),
    { name: "a log level that is none", values: { "settings.logLevel": "loud" }, says: "/settings/logLevel" },
    {
      name: "a receiver of traces without a scheme",
      values: { "tracing.endpoint": "c:4318" },
      says: "/tracing/endpoint",
    },
    { name: "a sampler that is none", values: { "tracing.sampler": "some" }, says: "/tracing/sampler" },
    { name: "a ratio over 1", values: { "tracing.ratio": 1.1 }, says: "/tracing/ratio" },
    { name: "a digest of another form", values: { "image.digest": "sha256:abc" }, says: "/image/digest" },
    {
      name: "a namespace that is no DNS label",
      values: { "keysNamespace.name": "My_Keys" },
      says: "/keysNamespace/name",
    },
    {
      name: "a port over 65535",
      values: { "gateway.service.sandboxPort": 65_536 },
      says: "/gateway/service/sandboxPort",
    },
    { name: "a base URL without a scheme", values: { baseURL: "hooks.example.com" }, says: "/baseURL" },
    {
      name: "no port for the API server",
      values: { "networkPolicy.apiServerPorts": [] },
      says: "/networkPolicy/apiServerPorts",
    },
    { name: "no DNS", values: { "networkPolicy.dnsTo": [] }, says: "/networkPolicy/dnsTo" },
    ...["apiServerTo", "dnsTo", "providersTo", "webhooksFrom", "peopleFrom"].map((peers) => ({
      name: `networkPolicy.${peers} with what is no peer`,
      values: { [`networkPolicy.${peers}`]: [{ cidr: "10.0.0.0/8" }] },
      says: `/networkPolicy/${peers}/0`,
    })),
    { name: "a host with a scheme", values: { "webhook.hosts": ["https://a.example.com"] }, says: "/webhook/hosts/0" },
    {
      name: "an Ingress without a host",
      values: { "webhook.ingress.enabled": true },
      says: "webhook.hosts must name a host",
    },
    {
      name: "an HTTPRoute without a Gateway",
      values: { "webhook.httpRoute.enabled": true, "webhook.hosts": ["a.example.com"] },
      says: "webhook.httpRoute.parentRefs must name a Gateway",
    },
    {
      name: "an autoscaler upside down",
      values: { "ingress.autoscaling": { enabled: true, minReplicas: 3, maxReplicas: 2 } },
      says: "ingress.autoscaling.minReplicas is 3, but it must be at most maxReplicas, 2",
    },
    {
      name: "an autoscaler of a gateway whose replicas share no blobs",
      values: { "gateway.autoscaling": { enabled: true, minReplicas: 1, maxReplicas: 2 } },
      says: "gateway.autoscaling.maxReplicas is 2",
    },
    { name: "an interval without a unit", values: { "podMonitor.interval": "30" }, says: "/podMonitor/interval" },
    {
      name: "a variable without a name",
      values: { "controller.extraEnv": [{ value: "a" }] },
      says: "/controller/extraEnv/0",
    },
    {
      name: "one port for sandboxes and people",
      values: { "gateway.service.sandboxPort": 8444 },
      says: "gateway.service.sandboxPort and gateway.service.peoplePort are both 8444",
    },
    ...["controller", "ingress", "gateway"].flatMap((process) =>
      ["name", "instance", "component", "version", "managed-by"].map((label) => ({
        name: `a label app.kubernetes.io/${label} for pods of ${process}`,
        values: { [`${process}.podLabels`]: { team: "a", [`app.kubernetes.io/${label}`]: "mine" } },
        says: `${process}.podLabels has app.kubernetes.io/${label}`,
      })),
    ),
    ...["commonLabels", "podMonitor.labels", "prometheusRule.labels", "dashboard.labels"].flatMap((value) =>
      ["helm.sh/chart", "app.kubernetes.io/instance"].map((label) => ({
        name: `a label ${label} of the chart's own in ${value}`,
        values: { [value]: { team: "a", [label]: "mine" } },
        says: `${value} has ${label}`,
      })),
    ),
    {
      name: "another level of pod security for the chart's namespaces",
      values: { commonLabels: { "pod-security.kubernetes.io/enforce": "privileged" } },
      says: "commonLabels has pod-security.kubernetes.io/enforce",
    },
    ...["lots", "", "-1", "1 Gi", "10K", "1.2.3", "1GiB", -1].map((memory) => ({
      name: `memory of ${JSON.stringify(memory)}`,
      values: { "ingress.resources.limits.memory": memory },
      says: "/ingress/resources/limits/memory",
    })),
    {
      name: "a claim of a size with the unit K, which Kubernetes has not",
      values: { "gateway.blobStore.directory.persistentVolumeClaim.size": "10K" },
      says: "/gateway/blobStore/directory/persistentVolumeClaim/size",
    },
    {
      name: "a precedence over 10,000",
      values: { "flowSchema.matchingPrecedence": 10_001 },
      says: "/flowSchema/matchingPrecedence",
    },
    {
      name: "a precedence of Leases of 0",
      values: { "flowSchema.leases.matchingPrecedence": 0 },
      says: "/flowSchema/leases/matchingPrecedence",
    },
  ])("$name", async ({ values, says }) => {
    await expect(renderChart({ values })).rejects.toThrow(says);
  });

  it.each([
    {
      values: { "keysNamespace.name": "ours", "sessionsNamespace.name": "ours" },
      says: 'keysNamespace.name and sessionsNamespace.name are both "ours"',
    },
    {
      values: { "keysNamespace.name": "tools-rw-sessions" },
      says: 'keysNamespace.name and sessionsNamespace.name are both "tools-rw-sessions"',
    },
    { values: { "keysNamespace.name": "tools" }, says: 'keysNamespace.name is "tools", the release\'s own namespace' },
    {
      values: { sessionsNamespace: { name: "tools", create: false } },
      says: 'sessionsNamespace.name is "tools", the release\'s own namespace',
    },
  ])("private namespaces that are none of their own: $says", async ({ values, says }) => {
    await expect(renderChart({ name: "rw", namespace: "tools", values })).rejects.toThrow(says);
  });

  it("a release whose private namespaces would have names over 63 characters", async () => {
    // namespace-release-sessions: 40 + 1 + 14 + 9 = 64.
    const long = { name: "r".repeat(14), namespace: "n".repeat(40) };
    await expect(renderChart(long)).rejects.toThrow("64 characters, more than 63: set sessionsNamespace.name");
  });
});

describe("values that are taken", () => {
  it("names of 63 characters", async () => {
    const chart = await renderChart({ name: "r".repeat(13), namespace: "n".repeat(40) });
    expect(chart.ofKind("Namespace").map(({ metadata }) => metadata.name?.length)).toContain(63);
  });

  it("a boot budget one millisecond over the connect watchdog", async () => {
    await expect(renderChart({ values: { "settings.sandboxBootTimeoutMs": 240_001 } })).resolves.toBeDefined();
  });

  it.each([
    ["memory", "1.5Gi"],
    ["memory", "128974848"],
    ["memory", "129e6"],
    ["memory", 129_000_000],
    ["cpu", "500m"],
    ["cpu", 0.5],
    ["cpu", ".5"],
    ["ephemeral-storage", "10Ki"],
    ["example.com/gpu", "1k"],
  ])("%s of %j", async (name, quantity) => {
    const limits = { "controller.resources": { limits: { [name]: quantity } } };
    await expect(renderChart({ values: limits })).resolves.toBeDefined();
  });

  it("labels of pods' own", async () => {
    const chart = await renderChart({
      values: { "gateway.podLabels": { team: "a", "app.kubernetes.io/part-of": "b" } },
    });
    const labelled = chart.ofKind<Deployment>("Deployment").filter(({ spec }) => {
      const labels = spec?.template.metadata?.labels;
      return labels?.team === "a" && labels["app.kubernetes.io/part-of"] === "b";
    });
    expect(labelled.map(({ metadata }) => metadata.name)).toEqual(["runwright-gateway"]);
  });

  it("labels of one object before those of all, each once", async () => {
    const labels = { team: "its own" };
    const chart = await renderChart({
      values: {
        commonLabels: { team: "all", "sidecar.istio.io/inject": "true" },
        "networkPolicy.metricsFrom": [{ namespaceSelector: { matchLabels: { name: "monitoring" } } }],
        podMonitor: { enabled: true, labels },
        prometheusRule: { enabled: true, labels },
        dashboard: { enabled: true, labels },
        "controller.podLabels": { ...labels, "sidecar.istio.io/inject": "false" },
      },
    });
    const [pods] = chart
      .ofKind<Deployment>("Deployment")
      .filter(({ metadata }) => metadata.name === "runwright-controller");
    expect(pods?.metadata.labels).toMatchObject({ team: "all", "sidecar.istio.io/inject": "true" });
    expect(pods?.spec?.template.metadata?.labels).toMatchObject({ ...labels, "sidecar.istio.io/inject": "false" });
    for (const kind of ["PodMonitor", "PrometheusRule"])
      expect(chart.ofKind(kind)[0]?.metadata.labels).toMatchObject(labels);
    const dashboard = chart.ofKind("ConfigMap").find(({ metadata }) => metadata.name === "runwright-dashboard");
    expect(dashboard?.metadata.labels).toMatchObject(labels);
  });

  it("no service mesh in any pod, unless the values say otherwise", async () => {
    const chart = await renderChart({
      values: {
        commonLabels: { "kuma.io/sidecar-injection": "enabled" },
        "ingress.podLabels": { "istio.io/dataplane-mode": "ambient" },
        "ingress.podAnnotations": { "linkerd.io/inject": "enabled" },
      },
    });
    const pods = [
      ...chart.ofKind<Deployment>("Deployment").map(({ metadata, spec }) => [metadata.name, spec?.template.metadata]),
      ...chart.ofKind<Deployment>("Pod").map(({ metadata }) => [metadata.name, metadata]),
    ] as [string, Deployment["metadata"]][];
    expect(pods.length).toBeGreaterThan(3);
    for (const [name, { labels, annotations }] of pods) {
      const isMeshed = name === "runwright-ingress";
      expect(labels).toMatchObject({
        "sidecar.istio.io/inject": "false",
        "istio.io/dataplane-mode": isMeshed ? "ambient" : "none",
        "kuma.io/sidecar-injection": "enabled",
      });
      expect(annotations).toMatchObject({
        "linkerd.io/inject": isMeshed ? "enabled" : "disabled",
        "consul.hashicorp.com/connect-inject": "false",
      });
    }
  });

  it("an image by digest rather than by tag", async () => {
    const digest = `sha256:${"0".repeat(64)}`;
    const chart = await renderChart({ values: { "image.digest": digest, "image.tag": "v9" } });
    const images = chart.ofKind<Deployment>("Deployment").flatMap(({ spec }) => spec?.template.spec?.containers ?? []);
    expect(new Set(images.map(({ image }) => image))).toEqual(new Set([`runwright@${digest}`]));
  });

  it.each([
    { name: "beside the operator's", values: {}, image: "registry.example.com/runwright-sandbox" },
    { name: "of its own", values: { "sandbox.image.repository": "ghcr.io/acme/box" }, image: "ghcr.io/acme/box" },
  ])("an image of sandboxes $name", async ({ values, image }) => {
    const given = { "image.repository": "registry.example.com/runwright", "sandbox.image.tag": "v9", ...values };
    const [controller] = (await renderChart({ values: given }))
      .ofKind<Deployment>("Deployment")
      .filter(({ metadata }) => metadata.name === "runwright-controller");
    const env = controller?.spec?.template.spec?.containers[0]?.env ?? [];
    expect(env).toContainEqual({ name: "RUNWRIGHT_SANDBOX_IMAGE", value: `${image}:v9` });
  });

  it("a receiver of traces, which ingress and controller reach and the gateway is not told", async () => {
    const values = { "tracing.endpoint": "http://collector.observability.svc:4318", "tracing.ratio": 0.00001 };
    const chart = await renderChart({ values });
    const told = chart.ofKind<Deployment>("Deployment").map(({ metadata, spec }) => {
      const env = spec?.template.spec?.containers[0]?.env ?? [];
      return [
        metadata.labels?.["app.kubernetes.io/component"],
        readTracingConfig(Object.fromEntries(env.map(({ name, value }) => [name, value]))),
      ];
    });
    const url = "http://collector.observability.svc:4318/v1/traces";
    const config = { url, sampler: "parentbased_always_on", ratio: 0.00001 };
    expect(Object.fromEntries(told)).toEqual({ controller: config, ingress: config, gateway: undefined });
    const reached = chart.ofKind<NetworkPolicy>("NetworkPolicy").filter(({ spec }) => {
      return spec?.egress?.some(({ ports }) => ports?.some(({ port }) => port === 4318));
    });
    expect(reached.map(({ metadata }) => metadata.name)).toEqual(["runwright-controller", "runwright-ingress"]);
  });

  it("private namespaces that are there already", async () => {
    const values = { keysNamespace: { name: "our-keys", create: false }, sessionsNamespace: { create: false } };
    expect((await renderChart({ values })).ofKind("Namespace")).toEqual([]);
  });

  it("the default keeps the keys at uninstall, and only them", async () => {
    const namespaces = (await renderChart()).ofKind<Namespace>("Namespace");
    const policies = namespaces.map(({ metadata }) => [
      metadata.name,
      metadata.annotations?.["helm.sh/resource-policy"],
    ]);
    expect(policies).toEqual([
      ["runwright-system-runwright-keys", "keep"],
      ["runwright-system-runwright-sessions", undefined],
    ]);
  });
});
