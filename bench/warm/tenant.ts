import { apiVersion, SandboxClass } from "../../src/api/v1alpha1/index.ts";
import type { GitServer } from "../../test/e2e/support/git-server.ts";
import { createKey } from "../../test/e2e/support/key.ts";
import { grant, keyManagerName } from "../../test/e2e/support/tenant-objects.ts";
import { apply, kubectl, type Workbench } from "../../test/e2e/support/workbench.ts";
import { agentCommand } from "./agent.ts";

export const namespace = "bench-warm";
const account = "runner";
const group = "runwright.dev";

/**
 * The ways of a delivery, by the name of Automation, SandboxClass and Repository. The first two have no repository, one with a pool and one
 * without; the other two have the sample's, one with a prebuilt image and one without.
 */
export const ways = ["warm", "cold", "image", "clone"] as const;
export type Way = (typeof ways)[number];
/** Also the name of the PrebuiltImage. */
export const imageWay: Way = "image";
const waysWithRepository: readonly Way[] = [imageWay, "clone"];

const classOf = (way: Way): string => `bench-${way}`;
const inNamespace = (name: string): { name: string; namespace: string } => ({ name, namespace });
/** Sandboxes of a class that a round and the pods that end can have. */
const maxSandboxes = 100;
/** Longer than a round takes to send all deliveries, as an agent works for longer than that. */
const workSeconds = 10;

/** A namespace with an Automation for each way; gives their keys. */
export async function makeTenant(bench: Workbench, git: GitServer, replicas: number): Promise<Record<Way, string>> {
  await apply(bench, [
    {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace, labels: { "pod-security.kubernetes.io/enforce": "restricted" } },
    },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: inNamespace(account) },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: inNamespace(keyManagerName) },
    ...rights(),
    {
      apiVersion: "v1",
      kind: "Secret",
      type: "kubernetes.io/basic-auth",
      metadata: inNamespace("git"),
      stringData: git.credential,
    },
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: inNamespace("git-authority"),
      stringData: { "ca.crt": git.authority },
    },
    ...ways.flatMap((way) => [sandboxClass(way, git, way === "warm" ? replicas : 0), automation(way)]),
    ...waysWithRepository.map((way) => repository(way, git)),
    {
      apiVersion,
      kind: "SandboxPool",
      metadata: inNamespace("warm"),
      spec: { sandboxClassName: classOf("warm"), serviceAccountName: account, replicas },
    },
    {
      apiVersion,
      kind: "PrebuiltImage",
      metadata: inNamespace(imageWay),
      spec: {
        repositoryRef: { name: imageWay },
        sandboxClassName: classOf(imageWay),
        serviceAccountName: account,
      },
    },
  ]);
  const keyOf = async (way: Way): Promise<[Way, string]> => [way, (await createKey(bench, `${namespace}/${way}`)).key];
  return Object.fromEntries(await Promise.all(ways.map(keyOf))) as Record<Way, string>;
}

/** Deletes all of it; the cluster may stay. */
export async function removeTenant(bench: Workbench, git: GitServer): Promise<void> {
  const clusterScoped = ["clusterrole", "clusterrolebinding"].map((kind) => `${kind}/${namespace}`);
  const classes = ways.map((way) => `${SandboxClass.plural}.${group}/${classOf(way)}`);
  await kubectl(bench, ["delete", ...clusterScoped, ...classes, "--ignore-not-found"]);
  await kubectl(bench, ["delete", "namespace", namespace, git.namespace, "--ignore-not-found"]);
}

function rights(): object[] {
  const apiGroups = [group];
  const keyManager = inNamespace(keyManagerName);
  return [
    ...grant({ name: namespace }, inNamespace(account), [
      { apiGroups, resources: ["sandboxclasses"], resourceNames: ways.map(classOf), verbs: ["use"] },
    ]),
    ...grant(inNamespace(account), inNamespace(account), [{ apiGroups, resources: ["repositories"], verbs: ["get"] }]),
    ...grant(keyManager, keyManager, [
      { apiGroups, resources: ["automations"], verbs: ["get"] },
      { apiGroups, resources: ["automations/key"], verbs: ["create"] },
    ]),
  ];
}

function sandboxClass(way: Way, git: GitServer, maxWarmSandboxes: number): object {
  const allow = waysWithRepository.includes(way) ? git.addresses.map((cidr) => ({ cidr })) : [];
  return {
    apiVersion,
    kind: "SandboxClass",
    metadata: { name: classOf(way) },
    spec: {
      agent: { command: agentCommand(workSeconds), protocol: "exec" },
      // So that all of a round fit a node of two CPUs.
      resources: { requests: { cpu: "10m", memory: "32Mi" }, limits: { cpu: "1", memory: "256Mi" } },
      workspaceSizeLimit: "64Mi",
      maxSandboxes,
      maxWarmSandboxes,
      egress: { internet: false, allow },
    },
  };
}

function repository(way: Way, { url }: GitServer): object {
  const spec = { url, credentialSecretRef: { name: "git" }, caSecretRef: { name: "git-authority" } };
  return { apiVersion, kind: "Repository", metadata: inNamespace(way), spec };
}

function automation(way: Way): object {
  return {
    apiVersion,
    kind: "Automation",
    metadata: inNamespace(way),
    spec: {
      displayName: `Delivery to prompt, ${way}`,
      instructions: "Say when this arrived.\n",
      trigger: { type: "Webhook", webhook: { filters: [{ path: "$.status", operator: "eq", value: "firing" }] } },
      ...(waysWithRepository.includes(way) ? { targets: [{ repositoryRef: { name: way } }] } : {}),
      session: { sandboxClassName: classOf(way) },
      serviceAccountName: account,
    },
  };
}
