import { apiVersion } from "../../../src/api/v1alpha1/index.ts";
import type { GitServer } from "./git-server.ts";

export const automationName = "triage-alerts";
export const repositoryName = "checkout";
export const accountName = "automation-runner";
const secretName = "checkout-git";
/** Whose token the plugin uses where the kubeconfig has none: may make keys in this namespace and nothing else. */
export const keyManagerName = "key-manager";
/** Whose token the web page has in the demo. */
export const pageAccountName = "page";

/** How a tenant's sample differs from the demo's. */
export interface TenantOptions {
  namespace: string;
  /** Also the name of the tenant's SandboxClass, which is cluster-scoped. */
  className: string;
  git: GitServer;
  /** The sample repository's own agent by default. */
  agent?: SampleAgent;
}

/** What works on the sample. */
export interface SampleAgent {
  command: readonly string[];
  protocol?: "exec" | "acp";
  /** Has the agent's program; the release's sandbox image by default. */
  image?: string;
  /** Ranges that it connects to besides the git server's. */
  addresses?: readonly string[];
  limits?: { cpu: string; memory: string };
  /** 256 MiB by default; the kubelet evicts a pod that holds more. */
  workspaceSizeLimit?: string;
}

const usualLimits = { cpu: "1", memory: "512Mi" };
const repositoryAgent: SampleAgent = { command: ["node", ".runwright/agent.mjs"] };

/** A tenant: namespace, account with its rights, credential, Repository, SandboxClass and a webhook Automation. */
export function tenantObjects({ namespace, className, git, agent = repositoryAgent }: TenantOptions): object[] {
  const {
    command,
    protocol = "exec",
    image,
    addresses = [],
    limits = usualLimits,
    workspaceSizeLimit = "256Mi",
  } = agent;
  const inNamespace = (name: string): object => ({ name, namespace });
  return [
    {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace, labels: { "pod-security.kubernetes.io/enforce": "restricted" } },
    },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: inNamespace(accountName) },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: inNamespace(keyManagerName) },
    ...rights(namespace, className),
    {
      apiVersion: "v1",
      kind: "Secret",
      type: "kubernetes.io/basic-auth",
      metadata: inNamespace(secretName),
      stringData: git.credential,
    },
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: inNamespace("git-authority"),
      stringData: { "ca.crt": git.authority },
    },
    {
      apiVersion,
      kind: "SandboxClass",
      metadata: { name: className },
      spec: {
        ...(image === undefined ? {} : { image }),
        agent: { command, protocol },
        resources: {
          requests: { cpu: "50m", memory: "128Mi" },
          limits,
        },
        workspaceSizeLimit,
        sandboxTimeoutMs: 7_200_000,
        egress: { internet: false, allow: [...git.addresses, ...addresses].map((cidr) => ({ cidr })) },
      },
    },
    {
      apiVersion,
      kind: "Repository",
      metadata: inNamespace(repositoryName),
      spec: { url: git.url, credentialSecretRef: { name: secretName }, caSecretRef: { name: "git-authority" } },
    },
    {
      apiVersion,
      kind: "Automation",
      metadata: inNamespace(automationName),
      spec: {
        displayName: "Triage production alerts",
        instructions: "Find the cause of the alert in this repository, fix it, and push a branch with the change.\n",
        trigger: {
          type: "Webhook",
          webhook: {
            filters: [
              { path: "$.status", operator: "eq", value: "firing" },
              { path: "$.commonLabels.service", operator: "eq", value: "checkout" },
              { path: "$.commonLabels.severity", operator: "eq", value: "critical" },
            ],
          },
        },
        targets: [{ repositoryRef: { name: repositoryName } }],
        session: { sandboxClassName: className },
        serviceAccountName: accountName,
      },
    },
  ];
}

/** An account with the role `edit` in the tenant's namespace, for the web page. */
export function accountOfPage(namespace: string): object[] {
  const apiGroup = "rbac.authorization.k8s.io";
  const metadata = { name: pageAccountName, namespace };
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata },
    {
      apiVersion: `${apiGroup}/v1`,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup, kind: "ClusterRole", name: "edit" },
      subjects: [{ kind: "ServiceAccount", ...metadata }],
    },
  ];
}

/** The tenant's objects that do not go with its namespace, as kubectl names them. */
export function rolesOfTenant(namespace: string): string[] {
  return ["clusterrole", "clusterrolebinding"].map((kind) => `${kind}/${clusterRoleName(namespace)}`);
}

function clusterRoleName(namespace: string): string {
  return `runwright-demo:${namespace}`;
}

/**
 * What the Automation's account needs: the use of the class and a look at the Repository; and what a person needs who
 * makes keys.
 */
function rights(namespace: string, className: string): object[] {
  const group = "runwright.dev";
  const account = { name: accountName, namespace };
  return [
    ...grant({ name: clusterRoleName(namespace) }, account, [
      { apiGroups: [group], resources: ["sandboxclasses"], resourceNames: [className], verbs: ["use"] },
    ]),
    ...grant(account, account, [
      { apiGroups: [group], resources: ["repositories"], resourceNames: [repositoryName], verbs: ["get"] },
    ]),
    ...grant({ name: keyManagerName, namespace }, { name: keyManagerName, namespace }, [
      { apiGroups: [group], resources: ["automations"], verbs: ["get"] },
      { apiGroups: [group], resources: ["automations/key"], verbs: ["create"] },
    ]),
  ];
}

/** A role and its binding to one ServiceAccount, in a namespace or for the whole cluster. */
export function grant(
  metadata: { name: string; namespace?: string },
  account: { name: string; namespace: string },
  rules: object[],
): object[] {
  const apiGroup = "rbac.authorization.k8s.io";
  const scope = metadata.namespace === undefined ? "Cluster" : "";
  return [
    { apiVersion: `${apiGroup}/v1`, kind: `${scope}Role`, metadata, rules },
    {
      apiVersion: `${apiGroup}/v1`,
      kind: `${scope}RoleBinding`,
      metadata,
      roleRef: { apiGroup, kind: `${scope}Role`, name: metadata.name },
      subjects: [{ kind: "ServiceAccount", ...account }],
    },
  ];
}
