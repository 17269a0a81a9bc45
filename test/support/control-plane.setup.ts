import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { join } from "node:path";

import type { TestProject } from "vitest/node";

import { progressOnStderr } from "../../hack/lib/progress.ts";
import { connectApi, type ApiClient } from "./api-client.ts";
import type {} from "./cluster.ts";
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "../../hack/cluster/cluster.ts";
import { parseManifests, readManifests, type Manifest } from "./manifests.ts";
import { policiesOfAnyRelease } from "./policies-of-any-release.ts";

const root = join(import.meta.dirname, "..", "..");
const limitMs = 120_000;

/** What installing a CRD needs to know of it. */
export type Definition = Manifest & {
  spec: { group: string; names: { plural: string }; versions: { name: string; served: boolean }[] };
};

/** One control plane for all test files of a project, with our CRDs and admission policies installed. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const progress = progressOnStderr("control plane");
  // With Go's own settings, collections of garbage are a seventh of the API server's work. Its live objects grow to 600 MiB.
  process.env.GOGC ??= "600";
  process.env.GOMEMLIMIT ??= "2GiB";
  const plane = await startEquippedControlPlane({ progress, policies: "of any release" });
  const { kubeconfig, kubectl, server, certificateAuthority, token } = plane;
  project.provide("testCluster", { kubeconfig, kubectl, server, certificateAuthority, token });
  return () => plane.stop();
}

/** Which admission policies of ours a control plane has: as they ship, for the release `runwright` in `runwright-system`; or those, for whichever release. */
export type PoliciesOfPlane = "none" | "as shipped" | "of any release";

/** A control plane with our CRDs and, if so wanted, our admission policies. */
export async function startEquippedControlPlane({
  policies = "none",
  ...options
}: ControlPlaneOptions & { policies?: PoliciesOfPlane } = {}): Promise<ControlPlane> {
  const plane = await startControlPlane(options);
  const api = connectApi(plane);
  try {
    await installDefinitions(api);
    const shipped = policies === "none" ? [] : await shippedPolicies();
    if (policies === "as shipped") await installPolicies(api, shipped);
    if (policies === "of any release") await installPolicies(api, policiesOfAnyRelease(shipped));
    return plane;
  } catch (error) {
    await plane.stop();
    throw error;
  } finally {
    await api.close();
  }
}

/** Installs CRDs, by default ours, and waits until they are served. */
export async function installDefinitions(api: ApiClient, others?: readonly Definition[]): Promise<void> {
  const definitions = others ?? ((await readManifests(join(root, "crds"))) as Definition[]);
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  for (const definition of definitions) await api.apply(`${path}/${definition.metadata.name}`, definition);
  for (const { spec } of definitions) {
    for (const { name } of spec.versions.filter(({ served }) => served)) {
      const served = `/apis/${spec.group}/${name}/${spec.names.plural}`;
      await until(`${served} is served`, async () => (await api.send("GET", served)).status === 200);
    }
  }
}

/** The admission policies that the manifests have. */
export async function shippedPolicies(): Promise<Manifest[]> {
  return parseManifests(await readFile(join(root, "manifests", "policies.yaml"), "utf8"));
}

/** Installs admission policies and waits until they are in force. */
export async function installPolicies(api: ApiClient, policies: readonly Manifest[]): Promise<void> {
  for (const policy of [...policies, ...canary]) {
    const plural = policy.kind.toLowerCase().replace(/y$/, "ies").replace(/g$/, "gs");
    await api.apply(`/apis/admissionregistration.k8s.io/v1/${plural}/${policy.metadata.name}`, policy);
  }
  // The API server takes policies into use some time after it stored them, all together: when it refuses what the last
  // one forbids, it knows the others too.
  await until("admission policies are in force", async () => {
    const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: canaryName } };
    const { status } = await api.send("POST", "/api/v1/namespaces/default/configmaps?dryRun=All", configMap);
    return status === 422;
  });
}

const canaryName = "policies-are-in-force";
const canary: (Manifest & { spec: unknown })[] = [
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: canaryName },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
      },
      validations: [{ expression: `object.metadata.name != "${canaryName}"` }],
    },
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name: canaryName },
    spec: { policyName: canaryName, validationActions: ["Deny"] },
  },
];

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`not within ${limitMs / 1000} s: ${what}`);
    await delay(50);
  }
}
