import { beforeAll, describe, expect, it } from "vitest";

import type { Pod, ServiceAccount } from "../../src/kube/core-resources.ts";
import type { Deployment } from "../support/core-resources.ts";
import { makeNamespace, testApi } from "../support/cluster.ts";
import { renderChart } from "./support/render.ts";

/** The API server evaluates the restricted profile where a namespace's label enforces it. */
let namespace: string;
let deployments: Deployment[];

beforeAll(async () => {
  namespace = await makeNamespace("restricted", { "pod-security.kubernetes.io/enforce": "restricted" });
  const chart = await renderChart({ namespace });
  deployments = chart.ofKind<Deployment>("Deployment");
  for (const account of chart.ofKind<ServiceAccount>("ServiceAccount")) {
    await testApi().send("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, account);
  }
});

function podOf(deployment: Deployment): Pod {
  // A copy: tests take parts of it away.
  const { metadata, spec } = structuredClone(deployment.spec?.template ?? {});
  const named = { ...metadata, name: "probe", namespace };
  return { apiVersion: "v1", kind: "Pod", metadata: named, ...(spec ? { spec } : {}) };
}

async function admission(pod: Pod): Promise<{ status: number; body: unknown }> {
  return testApi().send("POST", `/api/v1/namespaces/${namespace}/pods?dryRun=All`, pod);
}

describe.each(["controller", "ingress", "gateway"])("pods of %s", (process) => {
  function pod(): Pod {
    const deployment = deployments.find(({ metadata }) => metadata.name === `runwright-${process}`);
    if (deployment === undefined) throw new Error(`the chart has no Deployment for ${process}`);
    return podOf(deployment);
  }

  it("are admitted under the restricted profile", async () => {
    const { status, body } = await admission(pod());
    expect({ status, body: status === 201 ? undefined : body }).toEqual({ status: 201, body: undefined });
  });

  it("would be refused without their security context", async () => {
    const bare = pod();
    delete bare.spec?.containers[0]?.securityContext;
    const { status, body } = await admission(bare);
    expect(status).toBe(403);
    expect(JSON.stringify(body)).toContain("restricted");
  });

  it("cannot write to their root file system", () => {
    const containers = pod().spec?.containers ?? [];
    expect(containers.map(({ securityContext }) => securityContext?.readOnlyRootFilesystem)).toEqual([true]);
  });

  it("say what they need and what they may use", () => {
    const [resources] = (pod().spec?.containers ?? []).map((container) => container.resources);
    // The gateway's disk is bounded by its volume of blobs.
    const disk = process === "gateway" ? [] : ["ephemeral-storage"];
    for (const kind of ["requests", "limits"] as const) {
      expect(Object.keys(resources?.[kind] ?? {}).sort()).toEqual(["cpu", ...disk, "memory"]);
    }
  });
});
