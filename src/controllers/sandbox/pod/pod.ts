import { basename } from "node:path";
import {
  agentVariables,
  homeFolder,
  runtimeVariables,
  sandboxAudience,
  sandboxCommands,
  sandboxContainers,
  sandboxIds,
  sandboxPaths,
  sandboxTokenSeconds,
  sandboxVolumes,
} from "../../../api/runtime/pod-contract.ts";
import { annotations, labels, safeToEvict, sandboxComponent } from "../../../api/v1alpha1/names.ts";
import type { SandboxClass, SandboxClassSpec } from "../../../api/v1alpha1/sandbox-class.ts";
import type { Pod } from "../../../kube/core-resources.ts";
import { ownerReferenceTo } from "../../../lib/resource.ts";
import { type Release, sandboxLabels } from "../labels.ts";
import { ownerLabels } from "../../../domain/attempts/owner-labels.ts";
import type { AttemptOwner } from "../owner.ts";
import { present } from "../present.ts";
import { sandboxPodName } from "./names.ts";
import { architectureLabel } from "../images/choose.ts";
import { claimedVolume, extraMounts, extraVolumes } from "./extra-volumes.ts";
import { volumeSnapshots } from "./volume-snapshots.ts";
import { agentResources, runtimeResources } from "./pod-resources.ts";

type PodSpec = NonNullable<Pod["spec"]>;
type Container = PodSpec["containers"][number];
type Mount = NonNullable<Container["volumeMounts"]>[number];
type Volume = NonNullable<PodSpec["volumes"]>[number];

/** The kubelet ends a pod this long after its lifetime, should the controller not have done so: 10 minutes. */
const backstopSeconds = 600;

/** The kubelet's own deadline of a pod whose sandbox lives for so many milliseconds. */
export function activeDeadlineSeconds(lifetimeMs: number): number {
  return Math.ceil(lifetimeMs / 1_000) + backstopSeconds;
}

/** What the operator gives to every sandbox. */
export interface SandboxEnvironment {
  release: Release;
  /** Image of classes that name none. */
  image: string;
  /** Where runtimes connect, such as `wss://runwright-gateway.runwright-system.svc:8443`. */
  gatewayUrl: string;
}

/** One sandbox attempt, described to the last detail; no secret is in it. */
export interface SandboxPodSource {
  owner: Pick<AttemptOwner, "resource" | "metadata" | "spec">;
  attempt: number;
  sandboxClass: SandboxClass;
  /** The longest life that it may have, in milliseconds; undefined: nothing of ours ends it. */
  lifetimeMs: number | undefined;
  /** The VolumeSnapshot that the workspace's volume begins with. */
  volumeSnapshotName?: string | undefined;
  /** The processor architecture that it needs; undefined: any. */
  architecture?: string | undefined;
  /** PEM of the certificate authorities that the runtime trusts the gateway by. */
  gatewayCa: string;
  /** Where the gateway is, of classes without DNS. */
  gatewayAddresses?: readonly string[] | undefined;
  /** Whether pods may have users of their own on every Node. */
  hasUserNamespaces?: boolean | undefined;
  /** It waits in a pool, and its runtime learns from the gateway whose attempt it becomes. */
  waits?: boolean | undefined;
  environment: SandboxEnvironment;
}

const containerNames = Object.values(sandboxContainers);

/**
 * Has the webhooks of AWS, Azure and Alibaba Cloud, which give pods the cloud identity of their ServiceAccount, leave our
 * containers out: the account is the tenant's, the agent is not.
 */
const noCloudIdentity = {
  "eks.amazonaws.com/skip-containers": containerNames.join(","),
  "azure.workload.identity/skip-containers": containerNames.join(";"),
  "pod-identity.alibabacloud.com/skip-containers": containerNames.join(","),
};

/**
 * Has service meshes leave sandboxes out: their containers want rights that sandboxes do not have, and their proxy stands between
 * runtime and gateway, which speak TLS to each other (ADR 0153). A class may say otherwise.
 */
const outsideMeshes = {
  labels: {
    "sidecar.istio.io/inject": "false",
    "istio.io/dataplane-mode": "none",
    "kuma.io/sidecar-injection": "disabled",
  },
  annotations: { "linkerd.io/inject": "disabled", "consul.hashicorp.com/connect-inject": "false" },
};

/** The pod of one sandbox attempt. Same source, same pod. */
export function makeSandboxPod(source: SandboxPodSource): Pod {
  const { owner, attempt, sandboxClass, environment } = source;
  return {
    metadata: {
      name: sandboxPodName(owner.metadata, attempt),
      namespace: owner.metadata.namespace,
      labels: {
        ...outsideMeshes.labels,
        ...sandboxClass.spec.podMetadata?.labels,
        ...sandboxLabels(environment.release),
        ...ownerLabels(owner),
        [labels.attempt]: String(attempt),
        [labels.sandboxClass]: sandboxClass.metadata.name ?? "",
      },
      annotations: {
        ...outsideMeshes.annotations,
        ...sandboxClass.spec.podMetadata?.annotations,
        [annotations.gatewayCa]: source.gatewayCa,
        ...noCloudIdentity,
        // Nothing is lost with one that waits; its claim gives it the class's value.
        ...(source.waits && { [safeToEvict]: "true" }),
      },
      ownerReferences: [ownerReferenceTo(owner.resource, owner)],
    },
    spec: makeSpec(source),
  };
}

function makeSpec(source: SandboxPodSource): PodSpec {
  const { owner, sandboxClass, lifetimeMs } = source;
  const { imagePullSecrets, terminationGracePeriodSeconds } = sandboxClass.spec;
  return {
    restartPolicy: "Never",
    serviceAccountName: owner.spec.serviceAccountName,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds,
    ...present({ activeDeadlineSeconds: lifetimeMs === undefined ? undefined : activeDeadlineSeconds(lifetimeMs) }),
    securityContext: {
      runAsNonRoot: true,
      runAsUser: sandboxIds.agentUser,
      runAsGroup: sandboxIds.group,
      fsGroup: sandboxIds.group,
      fsGroupChangePolicy: "OnRootMismatch",
      seccompProfile: { type: "RuntimeDefault" },
    },
    ...(imagePullSecrets.length === 0 ? {} : { imagePullSecrets: imagePullSecrets.map((name) => ({ name })) }),
    ...users(source),
    ...placement(sandboxClass, source.architecture),
    ...nameResolution(source),
    containers: [makeRuntime(source), makeAgent(source)],
    volumes: [...makeVolumes(source), ...extraVolumes(sandboxClass.spec)],
  };
}

/** Without DNS there is no server to ask, so that questions fail at once, and the gateway's name is known all the same. */
function nameResolution({ sandboxClass, environment, gatewayAddresses = [] }: SandboxPodSource): Partial<PodSpec> {
  const { egress, hostAliases = [] } = sandboxClass.spec;
  const { hostname } = new URL(environment.gatewayUrl);
  const known = [...gatewayAddresses.map((ip) => ({ ip, hostnames: [hostname] })), ...hostAliases];
  return {
    ...(known.length === 0 ? {} : { hostAliases: known }),
    ...(egress.dns ? {} : { dnsPolicy: "None", dnsConfig: { nameservers: ["127.0.0.1"] } }),
  };
}

/** Another runtime may isolate by other means, and says nothing of users. */
function users({ sandboxClass, hasUserNamespaces = false }: SandboxPodSource): Partial<PodSpec> {
  const { hostUsers = !hasUserNamespaces || sandboxClass.spec.runtimeClassName !== undefined } = sandboxClass.spec;
  return hostUsers ? {} : { hostUsers: false };
}

/** Where the class's pods run; spreading counts the sandboxes of the class alone. */
function placement({ metadata, spec }: SandboxClass, architecture: string | undefined): Partial<PodSpec> {
  const { runtimeClassName, priorityClassName, tolerations, affinity } = spec;
  const nodeSelector =
    architecture === undefined ? spec.nodeSelector : { ...spec.nodeSelector, [architectureLabel]: architecture };
  const matchLabels = { [labels.component]: sandboxComponent, [labels.sandboxClass]: metadata.name ?? "" };
  const topologySpreadConstraints = spec.topologySpreadConstraints?.map((constraint) => {
    return { ...constraint, labelSelector: { matchLabels } };
  });
  // An object of no known members: parts of the class's may be undefined by their types, and parts of a pod's may not.
  const placed: object = { priorityClassName, tolerations, affinity, topologySpreadConstraints };
  return { ...present({ runtimeClassName, nodeSelector }), ...present(placed) };
}

/** Whose attempt the runtime is, or that it is to ask. */
function attemptVariables({ owner, attempt, waits = false }: SandboxPodSource): NonNullable<Container["env"]> {
  if (waits) return [{ name: runtimeVariables.podUid, valueFrom: { fieldRef: { fieldPath: "metadata.uid" } } }];
  return [
    { name: runtimeVariables.sessionUid, value: owner.metadata.uid ?? "" },
    { name: runtimeVariables.attempt, value: String(attempt) },
  ];
}

function makeRuntime(source: SandboxPodSource): Container {
  const { sandboxClass, environment } = source;
  return {
    ...imageOf(sandboxClass.spec, environment),
    name: sandboxContainers.runtime,
    command: [...sandboxCommands.runtime],
    terminationMessagePolicy: "FallbackToLogsOnError",
    env: [{ name: runtimeVariables.gatewayUrl, value: environment.gatewayUrl }, ...attemptVariables(source)],
    resources: runtimeResources(sandboxClass.spec),
    securityContext: { ...lockedDown, readOnlyRootFilesystem: true, runAsUser: sandboxIds.runtimeUser },
    volumeMounts: [
      { name: sandboxVolumes.socket, mountPath: sandboxPaths.socketDirectory },
      { name: sandboxVolumes.token, mountPath: sandboxPaths.tokenDirectory, readOnly: true },
      { name: sandboxVolumes.gatewayCa, mountPath: sandboxPaths.gatewayCaDirectory, readOnly: true },
      { name: sandboxVolumes.skills, mountPath: sandboxPaths.skills },
    ],
  };
}

function makeAgent({ sandboxClass, environment }: SandboxPodSource): Container {
  const { readOnlyRootFilesystem, env } = sandboxClass.spec;
  return {
    ...imageOf(sandboxClass.spec, environment),
    name: sandboxContainers.agent,
    command: [...sandboxCommands.agent],
    terminationMessagePolicy: "FallbackToLogsOnError",
    env: [{ name: agentVariables.home, value: sandboxPaths.home }, ...(env ?? [])],
    resources: agentResources(sandboxClass.spec),
    securityContext: { ...lockedDown, readOnlyRootFilesystem, runAsUser: sandboxIds.agentUser },
    volumeMounts: [
      // It connects to sockets there, and must not put its own in their place.
      { name: sandboxVolumes.socket, mountPath: sandboxPaths.socketDirectory, readOnly: true },
      { name: sandboxVolumes.workspace, mountPath: sandboxPaths.workspace },
      homeMount(sandboxClass.spec),
      { name: sandboxVolumes.tmp, mountPath: sandboxPaths.tmp },
      { name: sandboxVolumes.skills, mountPath: sandboxPaths.skills, readOnly: true },
      ...extraMounts(sandboxClass.spec),
    ],
  };
}

/** On the workspace's volume, so that one snapshot has both. */
function homeMount({ workspaceVolume }: SandboxClassSpec): Mount {
  const mountPath = sandboxPaths.home;
  if (!workspaceVolume) return { name: sandboxVolumes.home, mountPath };
  return { name: sandboxVolumes.workspace, mountPath, subPath: homeFolder };
}

const lockedDown = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };

function imageOf(spec: SandboxClassSpec, environment: SandboxEnvironment): Partial<Container> {
  return present({ image: spec.image ?? environment.image, imagePullPolicy: spec.imagePullPolicy });
}

function makeVolumes(source: SandboxPodSource): Volume[] {
  const { sandboxClass, environment } = source;
  const sizeLimit = sandboxClass.spec.workspaceSizeLimit;
  const scratch = sandboxClass.spec.workspaceVolume ? [sandboxVolumes.tmp] : [sandboxVolumes.home, sandboxVolumes.tmp];
  const token = {
    path: basename(sandboxPaths.tokenFile),
    audience: sandboxAudience(environment.release),
    expirationSeconds: sandboxTokenSeconds,
  };
  const certificates = {
    path: basename(sandboxPaths.gatewayCaFile),
    fieldRef: { fieldPath: `metadata.annotations['${annotations.gatewayCa}']` },
  };
  return [
    { name: sandboxVolumes.socket, emptyDir: { sizeLimit: "1Mi" } },
    // 5 MiB of skills in up to 4 KiB blocks a file.
    { name: sandboxVolumes.skills, emptyDir: { sizeLimit: "64Mi" } },
    { name: sandboxVolumes.token, projected: { sources: [{ serviceAccountToken: token }] } },
    { name: sandboxVolumes.gatewayCa, downwardAPI: { items: [certificates] } },
    // Without a limit of their own, home and tmp could fill the node's disk where the workspace cannot.
    ...scratch.map((name) => ({ name, emptyDir: { sizeLimit } })),
    { name: sandboxVolumes.workspace, ...workspaceOf(source) },
  ];
}

function workspaceOf({ sandboxClass, volumeSnapshotName }: SandboxPodSource): Omit<Volume, "name"> {
  const { workspaceVolume, workspaceSizeLimit } = sandboxClass.spec;
  if (!workspaceVolume) return { emptyDir: { sizeLimit: workspaceSizeLimit } };
  const { group: apiGroup, kind } = volumeSnapshots;
  const dataSource = volumeSnapshotName === undefined ? undefined : { apiGroup, kind, name: volumeSnapshotName };
  return claimedVolume(workspaceSizeLimit, workspaceVolume.storageClassName, dataSource);
}
