import { beforeAll, describe, expect, it } from "vitest";

import { processNames, readCommonConfig, type ProcessName } from "../../src/config/common.ts";
import { readConnectorConfig } from "../../src/config/connector.ts";
import { type ControllerConfig, readControllerConfig } from "../../src/config/controller.ts";
import { readIngressConfig } from "../../src/config/ingress.ts";
import { type GatewayConfig, readGatewayConfig } from "../../src/config/gateway.ts";
import { peopleAudience } from "../../src/api/runtime/pod-contract.ts";
import { gatewayTlsSecretName } from "../../src/api/v1alpha1/index.ts";
import type { KubeObject } from "../../src/lib/resource.ts";
import type { NetworkPolicy, Service } from "../../src/kube/core-resources.ts";
import type { Deployment } from "../support/core-resources.ts";
import { renderChart, type RenderedChart } from "./support/render.ts";

let chart: RenderedChart;

beforeAll(async () => {
  chart = await renderChart({
    name: "rw",
    namespace: "tools",
    values: {
      "connector.enabled": true,
      "settings.executionTimeoutMs": 60_000,
      "gateway.githubAPIURLs": ["https://api.github.com", "https://github.example.com/api/v3"],
      "settings.sandboxTimeoutMs": 604_800_000,
      "settings.finalSnapshotBufferMs": 300_000,
      "settings.tunnelPorts": [3000, 5173],
      "settings.buildTimeoutSeconds": 3_600,
      "settings.maxConcurrentChildSessions": 0,
      "settings.maxTotalChildSessions": 1_000,
      "settings.maxSessionCostUsd": "2.50",
      "gateway.service.sandboxPort": 9443,
      "sandbox.image.tag": "v7",
      "sandbox.egressExceptCIDRs": ["198.41.0.0/16", "2a00:1450::/32"],
    },
  });
});

function deploymentOf(process: ProcessName, rendered = chart): Deployment {
  const found = rendered.ofKind<Deployment>("Deployment").find(({ metadata }) => metadata.name === `rw-${process}`);
  if (found === undefined) throw new Error(`the chart has no Deployment for ${process}`);
  return found;
}

function controllerConfig(): ControllerConfig {
  const environment = environmentOf("controller");
  return readControllerConfig(environment, readCommonConfig(environment).release);
}

function gatewayConfig(): GatewayConfig {
  const environment = environmentOf("gateway");
  return readGatewayConfig(environment, readCommonConfig(environment).release);
}

/** The environment that a pod of the process starts with; fields of the pod itself get a stand-in. */
function environmentOf(process: ProcessName, rendered = chart): Record<string, string> {
  const [container] = deploymentOf(process, rendered).spec?.template.spec?.containers ?? [];
  return Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value ?? "from-the-pod"]));
}

describe.each(processNames)("%s", (process) => {
  it("is started as itself, as often as it can be without storage of the cluster's", () => {
    const { spec } = deploymentOf(process);
    expect(spec?.template.spec?.containers[0]?.args).toEqual([process]);
    expect(spec?.replicas).toBe(process === "gateway" ? 1 : 2);
  });

  it("has the namespace of its release", () => {
    const { release, podName } = readCommonConfig(environmentOf(process));
    expect(podName).toBe("from-the-pod");
    expect(release).toEqual({
      name: "rw",
      namespace: "tools",
      keysNamespace: "tools-rw-keys",
      sessionsNamespace: "tools-rw-sessions",
      tokensNamespace: "tools-rw-tokens",
    });
  });

  it("has probes on its observability port", () => {
    const [container] = deploymentOf(process).spec?.template.spec?.containers ?? [];
    const port = container?.ports?.find(({ name }) => name === "observability")?.containerPort;
    expect(port).toBe(readCommonConfig(environmentOf(process)).observabilityPort);
    expect(container?.livenessProbe?.httpGet?.path).toBe("/livez");
    expect(container?.readinessProbe?.httpGet?.path).toBe("/readyz");
  });

  it("may be drained one pod at a time", () => {
    const budget = chart.all.find(
      ({ kind, metadata }) => kind === "PodDisruptionBudget" && metadata.name === `rw-${process}`,
    );
    expect(budget).toMatchObject({
      spec: { maxUnavailable: 1, selector: { matchLabels: deploymentOf(process).spec?.selector.matchLabels } },
    });
  });

  it("is selected by its network policy", () => {
    const policies = chart.ofKind<NetworkPolicy>("NetworkPolicy");
    const policy = policies.find(({ metadata }) => metadata.name === `rw-${process}`);
    expect(policy?.spec?.podSelector?.matchLabels).toEqual(deploymentOf(process).spec?.selector.matchLabels);
    expect(policy?.spec?.policyTypes).toEqual(["Ingress", "Egress"]);
  });
});

it("tells each process which namespaces it watches", async () => {
  const watching = await renderChart({ values: { watchNamespaces: ["shop", "team-2"], "connector.enabled": true } });
  const told = watching.ofKind<Deployment>("Deployment").map(({ spec }) => {
    const [container] = spec?.template.spec?.containers ?? [];
    const environment = (container?.env ?? []).map(({ name, value }) => [name, value ?? "from-the-pod"]);
    return readCommonConfig(Object.fromEntries(environment) as Record<string, string>).watchNamespaces;
  });
  expect(told).toEqual(processNames.map(() => ["shop", "team-2"]));
  expect(readCommonConfig(environmentOf("ingress")).watchNamespaces).toEqual([]);
});

it("gives the controller the settings and the gateway's address", () => {
  expect(controllerConfig()).toEqual({
    deliveryBaseUrl: gatewayConfig().deliveryBaseUrl,
    operator: {
      settings: {
        sandboxTimeoutMs: 604_800_000,
        finalSnapshotBufferMs: 300_000,
        tunnelPorts: [3000, 5173],
        buildTimeoutSeconds: 3_600,
        maxConcurrentChildSessions: 0,
        maxTotalChildSessions: 1_000,
        maxSessionCostUsd: "2.50",
      },
      executionTimeoutMs: 60_000,
    },
    tunnels: { peopleUrl: "https://rw-gateway.tools.svc:8444", waitSeconds: 30 },
    bootTimeoutMs: 1_800_000,
    sandboxImage: "runwright-sandbox:v7",
    gatewayUrl: "wss://rw-gateway.tools.svc:9443",
    gatewayCertificate: "self-managed",
    skillSetBudgets: { namespace: 67_108_864, total: 268_435_456 },
    hasArchive: false,
    hasConnector: true,
    egressExceptCIDRs: ["198.41.0.0/16", "2a00:1450::/32"],
    github: { apiURLs: ["https://api.github.com", "https://github.example.com/api/v3"] },
    // The pods' own port, which network policies name.
    sandboxPort: gatewayConfig().sandboxPort,
  });
});

it("has the Home tab of Slack link to the web page, where there is one", async () => {
  expect(readConnectorConfig(environmentOf("connector")).pageUrl).toBeUndefined();
  const url = "https://runwright.example.com";
  for (const isEnabled of [true, false]) {
    const values = { "connector.enabled": true, "web.enabled": isEnabled, "web.url": url };
    const environment = environmentOf("connector", await renderChart({ name: "rw", namespace: "tools", values }));
    expect(readConnectorConfig(environment).pageUrl).toBe(isEnabled ? url : undefined);
  }
});

it("lets the connector put images at the gateway, with a token for that alone", () => {
  const { gateway } = readConnectorConfig(environmentOf("connector"));
  expect(gateway).toEqual({
    url: "https://rw-gateway.tools.svc:8444",
    authoritiesFile: "/var/run/runwright/gateway-ca/ca.crt",
    tokenFile: "/var/run/runwright/gateway-token/token",
  });
  const { volumes, containers } = deploymentOf("connector").spec?.template.spec ?? {};
  const audience = peopleAudience({ name: "rw", namespace: "tools" });
  expect(volumes).toContainEqual({
    name: "gateway-token",
    projected: { sources: [{ serviceAccountToken: { audience, expirationSeconds: 3_600, path: "token" } }] },
  });
  expect(containers?.[0]?.volumeMounts).toEqual([
    { name: "gateway-ca", mountPath: "/var/run/runwright/gateway-ca" },
    { name: "gateway-token", mountPath: "/var/run/runwright/gateway-token" },
  ]);
  const policy = chart.ofKind<NetworkPolicy>("NetworkPolicy").find(({ metadata }) => metadata.name === "rw-connector");
  expect(policy?.spec?.egress).toContainEqual({
    ports: [{ protocol: "TCP", port: 8444 }],
    to: [{ podSelector: { matchLabels: deploymentOf("gateway").spec?.selector.matchLabels } }],
  });
});

it("tells controller and gateway the same APIs of GitHub", () => {
  expect(gatewayConfig().github).toEqual(controllerConfig().github);
});

it("has cert-manager sign for the host that runtimes connect to, into the Secret that the processes read", async () => {
  const values = { "gateway.certificate.certManager.issuerRef.name": "internal" };
  const signed = await renderChart({ name: "rw", namespace: "tools", values });
  const [certificate] = signed.ofKind<KubeObject & { spec: { dnsNames: string[]; secretName: string } }>("Certificate");
  const controller = signed.ofKind<Deployment>("Deployment").find(({ metadata }) => metadata.name === "rw-controller");
  const [container] = controller?.spec?.template.spec?.containers ?? [];
  const environment = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value ?? "x"]));
  const { release } = readCommonConfig(environment);
  const { gatewayCertificate, gatewayUrl } = readControllerConfig(environment, release);
  expect(gatewayCertificate).toBe("cert-manager");
  expect(certificate?.metadata.namespace).toBe(release.sessionsNamespace);
  expect(certificate?.spec).toMatchObject({
    secretName: gatewayTlsSecretName,
    issuerRef: { name: "internal", kind: "ClusterIssuer", group: "cert-manager.io" },
  });
  expect(certificate?.spec.dnsNames).toContain(new URL(gatewayUrl).hostname);
});

it("gives senders the ingress Service's address while no base URL is set", () => {
  expect(gatewayConfig().deliveryBaseUrl).toBe("http://rw-ingress.tools.svc");
  expect(controllerConfig().deliveryBaseUrl).toBe("http://rw-ingress.tools.svc");
});

describe.each([
  {
    service: "rw-ingress",
    process: "ingress" as const,
    ports: [[80, () => [readIngressConfig(environmentOf("ingress")).port]]],
  },
  {
    service: "rw-gateway",
    process: "gateway" as const,
    ports: [
      [9443, () => [gatewayConfig().sandboxPort]],
      [8444, () => [gatewayConfig().peoplePort]],
    ],
  },
])("Service $service", ({ service, process, ports }) => {
  it("leads to the ports that its process listens on", () => {
    const spec = chart.ofKind<Service>("Service").find(({ metadata }) => metadata.name === service)?.spec;
    const [container] = deploymentOf(process).spec?.template.spec?.containers ?? [];
    const leadsTo = (spec?.ports ?? []).map(({ port, targetPort }) => [
      port,
      container?.ports?.find(({ name }) => name === targetPort)?.containerPort,
    ]);
    expect(leadsTo).toEqual(
      ports.map(([port, listens]) => [port, ...(typeof listens === "function" ? listens() : [])]),
    );
    expect(spec?.selector).toEqual(deploymentOf(process).spec?.selector.matchLabels);
  });
});

it("lets only sandboxes to the gateway's sandbox port", () => {
  const policy = chart.ofKind<NetworkPolicy>("NetworkPolicy").find(({ metadata }) => metadata.name === "rw-gateway");
  const rules = policy?.spec?.ingress?.filter(({ ports }) => ports?.some(({ port }) => port === 8443));
  expect(rules).toEqual([
    {
      ports: [{ port: 8443, protocol: "TCP" }],
      from: [{ namespaceSelector: {}, podSelector: { matchLabels: { "app.kubernetes.io/component": "sandbox" } } }],
    },
  ]);
});

it("lets no pod connect to the controller", () => {
  const policy = chart.ofKind<NetworkPolicy>("NetworkPolicy").find(({ metadata }) => metadata.name === "rw-controller");
  expect(policy?.spec?.ingress).toEqual([]);
});

it("has nothing of the connector where that is not wanted", async () => {
  const without = await renderChart({ name: "rw", namespace: "tools" });
  const named = without.all.filter(({ metadata }) => /connector|tokens/.test(metadata.name));
  expect(named.filter(({ kind }) => !kind.startsWith("ValidatingAdmissionPolicy"))).toEqual([]);
});
