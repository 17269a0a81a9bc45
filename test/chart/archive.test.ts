import { describe, expect, it } from "vitest";

import { readCommonConfig } from "../../src/config/common.ts";
import { readControllerConfig } from "../../src/config/controller.ts";
import { readGatewayConfig } from "../../src/config/gateway.ts";
import type { NetworkPolicy } from "../../src/kube/core-resources.ts";
import type { Deployment } from "../support/core-resources.ts";
import { renderChart, type RenderedChart } from "./support/render.ts";

const embedded = { "archive.mode": "embedded" };
const onClaim = { "gateway.blobStore.directory.volume": "persistentVolumeClaim" };
const shared = { "gateway.blobStore.directory.persistentVolumeClaim.accessModes": ["ReadWriteMany"] };
const inBucket = {
  "gateway.blobStore.type": "s3",
  "gateway.blobStore.s3.bucket": "sessions",
  "gateway.blobStore.s3.credentialsSecretName": "s3-keys",
};
const onServer = {
  "archive.mode": "postgresql",
  "archive.postgresql.host": "db.example.com",
  "archive.postgresql.credentialsSecretName": "archive-login",
};

describe("archives that are refused", () => {
  it.each([
    { name: "a mode that is none", values: { "archive.mode": "sqlite" }, says: "/archive/mode" },
    { name: "89 days", values: { ...embedded, "archive.retentionDays": 89 }, says: "/archive/retentionDays" },
    {
      name: "a budget that is no number of bytes",
      values: { ...embedded, "archive.budgets.namespace": "lots" },
      says: "/archive/budgets/namespace",
    },
    {
      name: "two replicas with a file",
      values: { ...embedded, ...inBucket, "gateway.replicas": 2 },
      says: "gateway.replicas to 1",
    },
    {
      name: "as many replicas as needed with a file",
      values: { ...embedded, ...inBucket, "gateway.autoscaling.enabled": true },
      says: "gateway.autoscaling.enabled to false",
    },
    { name: "no host", values: { ...onServer, "archive.postgresql.host": "" }, says: "archive.postgresql.host" },
    {
      name: "a URL as the host",
      values: { ...onServer, "archive.postgresql.host": "postgres://db" },
      says: "/archive/postgresql/host",
    },
    {
      name: "no credentials",
      values: { ...onServer, "archive.postgresql.credentialsSecretName": "" },
      says: "credentialsSecretName must name a Secret",
    },
    { name: "a password in the values", values: { ...onServer, "archive.postgresql.password": "x" }, says: "password" },
  ])("$name", async ({ values, says }) => {
    await expect(renderChart({ values })).rejects.toThrow(says);
  });
});

describe("archives that are taken", () => {
  it("none, and nothing of one", async () => {
    const chart = await renderChart();
    expect(configOf(chart)).toMatchObject({ archive: { mode: "none" }, hasArchive: false });
    expect(JSON.stringify(chart.all)).not.toContain("RUNWRIGHT_ARCHIVE");
  });

  it.each([
    { name: "one replica with its blobs on a claim", values: {}, mode: "embedded" },
    { name: "no claim", values: { "gateway.blobStore.directory.volume": "emptyDir" }, mode: "none" },
    { name: "a bucket", values: inBucket, mode: "none" },
    { name: "two replicas", values: { "gateway.replicas": 2, ...shared }, mode: "none" },
    { name: "autoscaling", values: { "gateway.autoscaling.enabled": true, ...shared }, mode: "none" },
    { name: "none asked for", values: { "archive.mode": "none" }, mode: "none" },
    { name: "a server asked for", values: onServer, mode: "postgresql" },
  ])("of themselves with $name: $mode", async ({ values, mode }) => {
    const chart = await renderChart({ values: { ...onClaim, ...values } });
    expect(configOf(chart)).toMatchObject({ archive: { mode }, hasArchive: mode !== "none" });
    const claims = chart.ofKind("PersistentVolumeClaim").map(({ metadata }) => metadata.name);
    expect(claims.some((name) => name?.endsWith("-gateway-archive"))).toBe(mode === "embedded");
  });

  it("a file on a claim of the chart's own, which one pod at a time uses", async () => {
    const chart = await renderChart({ name: "rw", values: { ...embedded, "archive.retentionDays": 90 } });
    const [claim] = chart.ofKind("PersistentVolumeClaim");
    expect(claim).toMatchObject({
      metadata: { name: "rw-gateway-archive", annotations: { "helm.sh/resource-policy": "keep" } },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "10Gi" } } },
    });
    const { strategy, template } = gatewayOf(chart).spec!;
    expect(strategy).toEqual({ type: "Recreate" });
    expect(template.spec?.securityContext).toMatchObject({ fsGroup: 65_532 });
    expect(template.spec?.volumes).toContainEqual({
      name: "archive",
      persistentVolumeClaim: { claimName: "rw-gateway-archive" },
    });
    expect(configOf(chart)).toMatchObject({
      archive: { mode: "embedded", file: `${mountOf(chart)}/archive.db` },
      archiveRetentionDays: 90,
      hasArchive: true,
    });
  });

  it.each([
    { name: "those that are left out", values: {}, want: {} },
    {
      name: "those that are given",
      values: { "archive.budgets.namespace": "1Gi", "archive.budgets.total": "0" },
      want: { namespace: 1_024 ** 3, total: 0 },
    },
  ])("budgets: $name", async ({ values, want }) => {
    expect(configOf(await renderChart({ values: { ...onServer, ...values } }))).toMatchObject({ archiveBudgets: want });
  });

  it("a file on an existing claim", async () => {
    const values = { ...embedded, "archive.embedded.persistentVolumeClaim.existingClaim": "ours" };
    const chart = await renderChart({ values });
    expect(chart.ofKind("PersistentVolumeClaim")).toEqual([]);
    expect(gatewayOf(chart).spec?.template.spec?.volumes).toContainEqual({
      name: "archive",
      persistentVolumeClaim: { claimName: "ours" },
    });
  });

  it("a server, with its login as files and a way to its port", async () => {
    const chart = await renderChart({ name: "rw", values: { ...onServer, "archive.postgresql.port": 6432 } });
    expect(configOf(chart)).toMatchObject({
      archive: {
        mode: "postgresql",
        host: "db.example.com",
        port: 6_432,
        database: "runwright",
        credentials: mountOf(chart),
      },
      archiveRetentionDays: 400,
      hasArchive: true,
    });
    expect(gatewayOf(chart).spec?.template.spec?.volumes).toContainEqual({
      name: "archive",
      secret: { secretName: "archive-login" },
    });
    const policy = chart.ofKind<NetworkPolicy>("NetworkPolicy").find(({ metadata }) => metadata.name === "rw-gateway");
    expect(policy?.spec?.egress?.at(-1)).toEqual({ ports: [{ protocol: "TCP", port: 6_432 }] });
  });
});

function deploymentOf(chart: RenderedChart, process: string): Deployment {
  const found = chart.ofKind<Deployment>("Deployment").find(({ metadata }) => metadata.name?.endsWith(`-${process}`));
  if (found === undefined) throw new Error(`the chart has no ${process}`);
  return found;
}

function gatewayOf(chart: RenderedChart): Deployment {
  return deploymentOf(chart, "gateway");
}

function mountOf(chart: RenderedChart): string | undefined {
  const [container] = gatewayOf(chart).spec?.template.spec?.containers ?? [];
  return container?.volumeMounts?.find(({ name }) => name === "archive")?.mountPath;
}

/** What gateway and controller make of their environments. */
function configOf(chart: RenderedChart): object {
  const [gateway, controller] = ["gateway", "controller"].map((process) => {
    const given = deploymentOf(chart, process).spec?.template.spec?.containers[0]?.env ?? [];
    return Object.fromEntries(given.map(({ name, value }) => [name, value ?? "from-elsewhere"]));
  });
  const { release } = readCommonConfig(gateway!);
  return { ...readGatewayConfig(gateway!, release), hasArchive: readControllerConfig(controller!, release).hasArchive };
}
