import { describe, expect, it } from "vitest";

import { readCommonConfig } from "../../src/config/common.ts";
import { type GatewayConfig, readGatewayConfig } from "../../src/config/gateway.ts";
import type { NetworkPolicy } from "../../src/kube/core-resources.ts";
import type { Deployment } from "../support/core-resources.ts";
import { renderChart, type RenderedChart } from "./support/render.ts";

const inBucket = {
  "gateway.blobStore.type": "s3",
  "gateway.blobStore.s3.bucket": "sessions",
  "gateway.blobStore.s3.credentialsSecretName": "s3-keys",
};
const inClaim = { "gateway.blobStore.directory.volume": "persistentVolumeClaim" };
const shared = { "gateway.blobStore.directory.persistentVolumeClaim.accessModes": ["ReadWriteMany"] };

describe("blob stores that are refused", () => {
  it.each([
    { name: "a type that is none", values: { "gateway.blobStore.type": "nfs" }, says: "/gateway/blobStore/type" },
    { name: "no bucket", values: { ...inBucket, "gateway.blobStore.s3.bucket": "" }, says: "s3.bucket must be set" },
    {
      name: "a bucket's name of 2 characters",
      values: { ...inBucket, "gateway.blobStore.s3.bucket": "ab" },
      says: "/gateway/blobStore/s3/bucket",
    },
    {
      name: "no credentials",
      values: { ...inBucket, "gateway.blobStore.s3.credentialsSecretName": "" },
      says: "credentialsSecretName must name a Secret",
    },
    {
      name: "credentials in the values",
      values: { ...inBucket, "gateway.blobStore.s3.secretAccessKey": "x" },
      says: "secretAccessKey",
    },
    {
      name: "a prefix without a slash at its end",
      values: { ...inBucket, "gateway.blobStore.s3.prefix": "team" },
      says: "/gateway/blobStore/s3/prefix",
    },
    { name: "two replicas with a volume each", values: { "gateway.replicas": 2 }, says: "gateway.replicas is 2" },
    {
      name: "two replicas with a claim of one node",
      values: { ...inClaim, "gateway.replicas": 2 },
      says: "ReadWriteMany",
    },
  ])("$name", async ({ values, says }) => {
    await expect(renderChart({ values })).rejects.toThrow(says);
  });
});

describe("blob stores that are taken", () => {
  it("a volume of the pod's, without more", async () => {
    const chart = await renderChart();
    expect(storeOf(chart)).toEqual({ type: "directory", directory: mountOf(chart) });
    expect(podOf(chart).volumes).toEqual([{ name: "blobs", emptyDir: { sizeLimit: "10Gi" } }]);
    expect(budgetsOf(chart)).toEqual({ capacity: 10 * 1_024 ** 3, events: {} });
    expect(chart.ofKind("PersistentVolumeClaim")).toEqual([]);
  });

  it("with the budgets that are given", async () => {
    const budgets = { session: "1Gi", namespace: "1.5Gi", total: "0" };
    const given = Object.entries(budgets).map(([name, value]) => [`gateway.blobStore.budgets.${name}`, value]);
    const chart = await renderChart({ values: { ...inClaim, ...(Object.fromEntries(given) as object) } });
    expect(budgetsOf(chart)).toEqual({ session: 1_024 ** 3, namespace: 1.5 * 1_024 ** 3, total: 0, events: {} });
    const wrong = renderChart({ values: { "gateway.blobStore.budgets.total": "lots" } });
    await expect(wrong).rejects.toThrow("/gateway/blobStore/budgets/total");
  });

  it("with the budgets of events that are given", async () => {
    const values = { "gateway.blobStore.budgets.events": { namespace: "100Mi", total: "1Gi" } };
    const chart = await renderChart({ values: { ...inClaim, ...values } });
    expect(budgetsOf(chart).events).toEqual({ namespace: 100 * 1_024 ** 2, total: 1_024 ** 3 });
    const wrong = renderChart({ values: { "gateway.blobStore.budgets.events": { session: "1Gi" } } });
    await expect(wrong).rejects.toThrow("/gateway/blobStore/budgets/events");
  });

  it("a claim of the chart's own, which one pod at a time uses", async () => {
    const chart = await renderChart({ values: { ...inClaim, "archive.mode": "none" } });
    const [claim] = chart.ofKind("PersistentVolumeClaim");
    expect(claim).toMatchObject({
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "10Gi" } } },
    });
    expect(podOf(chart).volumes).toEqual([
      { name: "blobs", persistentVolumeClaim: { claimName: claim?.metadata.name } },
    ]);
    expect(podOf(chart).securityContext).toMatchObject({ fsGroup: 65_532 });
    expect(deploymentOf(chart).spec?.strategy).toEqual({ type: "Recreate" });
    expect(storeOf(chart)).toEqual({ type: "directory", directory: mountOf(chart) });
  });

  it("an existing claim that replicas share", async () => {
    const existingClaim = { "gateway.blobStore.directory.persistentVolumeClaim.existingClaim": "ours" };
    const chart = await renderChart({ values: { ...inClaim, ...shared, ...existingClaim, "gateway.replicas": 2 } });
    expect(chart.ofKind("PersistentVolumeClaim")).toEqual([]);
    expect(podOf(chart).volumes).toEqual([{ name: "blobs", persistentVolumeClaim: { claimName: "ours" } }]);
    expect(deploymentOf(chart).spec?.strategy?.type).toBeUndefined();
  });

  it.each([
    { endpoint: "", port: 443 },
    { endpoint: "http://minio.storage.svc:9000", port: 9000 },
    { endpoint: "http://minio.storage.svc", port: 80 },
    { endpoint: "https://minio.storage.svc", port: 443 },
  ])("a bucket at '$endpoint', with keys by reference and a way to port $port", async ({ endpoint, port }) => {
    const values = { ...inBucket, "gateway.replicas": 2, "gateway.blobStore.s3.endpoint": endpoint };
    const chart = await renderChart({ name: "rw", namespace: "tools", values });
    expect(storeOf(chart)).toEqual({
      type: "s3",
      bucket: "sessions",
      prefix: "tools/rw/",
      region: "us-east-1",
      endpoint: endpoint === "" ? undefined : endpoint,
      forcePathStyle: false,
    });
    expect(podOf(chart).volumes).toBeUndefined();
    const secrets = podOf(chart).containers[0]?.env?.flatMap(({ name, valueFrom }) =>
      valueFrom?.secretKeyRef ? [[name, valueFrom.secretKeyRef]] : [],
    );
    expect(secrets).toEqual([
      ["AWS_ACCESS_KEY_ID", { name: "s3-keys", key: "AWS_ACCESS_KEY_ID" }],
      ["AWS_SECRET_ACCESS_KEY", { name: "s3-keys", key: "AWS_SECRET_ACCESS_KEY" }],
    ]);
    const policy = chart.ofKind<NetworkPolicy>("NetworkPolicy").find(({ metadata }) => metadata.name === "rw-gateway");
    expect(policy?.spec?.egress?.at(-1)).toEqual({ ports: [{ protocol: "TCP", port }] });
  });
});

function deploymentOf(chart: RenderedChart): Deployment {
  const found = chart.ofKind<Deployment>("Deployment").find(({ metadata }) => metadata.name?.endsWith("-gateway"));
  if (found === undefined) throw new Error("the chart has no gateway");
  return found;
}

function podOf(chart: RenderedChart) {
  const spec = deploymentOf(chart).spec?.template.spec;
  if (!spec) throw new Error("the gateway has no pods");
  return spec;
}

function mountOf(chart: RenderedChart): string | undefined {
  return podOf(chart).containers[0]?.volumeMounts?.find(({ name }) => name === "blobs")?.mountPath;
}

/** The store that the gateway's process makes of its environment. */
function storeOf(chart: RenderedChart): GatewayConfig["blobStore"] {
  return configOf(chart).blobStore;
}

function budgetsOf(chart: RenderedChart): GatewayConfig["blobBudgets"] {
  return configOf(chart).blobBudgets;
}

function configOf(chart: RenderedChart): GatewayConfig {
  const given = podOf(chart).containers[0]?.env ?? [];
  const environment = Object.fromEntries(given.map(({ name, value }) => [name, value ?? "from-elsewhere"]));
  return readGatewayConfig(environment, readCommonConfig(environment).release);
}
