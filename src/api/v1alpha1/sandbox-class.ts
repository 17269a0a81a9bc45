import { z } from "zod";
import { Agent } from "./agent.ts";
import { boundedRecord } from "./bounded-record.ts";
import { observed } from "./conditions.ts";
import { ageColumn, column, conditionColumn, defineKind, type ObjectOf } from "./kind.ts";
import { agentExtras } from "./agent-extras.ts";
import { isCidr, isIpAddress } from "../../lib/cidr.ts";
import { scheduling } from "./scheduling.ts";
import {
  atomicOf,
  integer,
  mapOf,
  matching,
  Quantity,
  SecretName,
  setOf,
  SubdomainName,
  text,
  withRule,
} from "./schema.ts";
import { TunnelRoute } from "./tunnel-route.ts";
import { ClassSettings, SandboxTimeoutMs } from "./settings.ts";

const ResourceList = z.object({
  cpu: Quantity.optional().describe("cpu in cores, such as 500m or 2."),
  memory: Quantity.optional().describe("memory in bytes, such as 1Gi."),
  "ephemeral-storage": Quantity.optional().describe("ephemeral-storage in bytes, such as 10Gi."),
});

const Cidr = withRule(text(64), {
  message: "must be an IPv4 or IPv6 range such as 10.1.2.0/24 or fd00::/8",
  cel: "isCIDR(self)",
  check: isCidr,
});

export const EgressRule = z
  .object({
    cidr: Cidr.describe("cidr is an IPv4 or IPv6 range such as 10.1.2.0/24."),
    // No default: kubectl apply sees a default below a list as a difference and writes each time.
    ports: setOf(z.array(integer(1, 65_535)).max(16))
      .optional()
      .describe("ports are the allowed TCP ports, at most 16; an empty list means all."),
  })
  .describe("EgressRule allows traffic to one range.");

export const Egress = withRule(
  z
    .object({
      dns: z
        .boolean()
        .default(true)
        .describe(
          "dns allows questions to the cluster's DNS, which carries what a sandbox asks to any server of the internet. With false a sandbox knows only the names of hostAliases and the gateway's. Defaults to true.",
        ),
      internet: z
        .boolean()
        .default(true)
        .describe(
          "internet allows all addresses except private, shared, link-local and metadata ranges and the cluster's own. Defaults to true.",
        ),
      allow: atomicOf(z.array(EgressRule).max(64))
        .default([])
        .describe("allow lists further ranges, such as an in-house git server's; at most 64."),
      dnsCIDRs: atomicOf(z.array(Cidr).max(16))
        .default([])
        .describe(
          "dnsCIDRs are address ranges of DNS servers beside those of the cluster (k8s-app: kube-dns in kube-system, and OpenShift's), such as a node-local cache; at most 16. Defaults to none.",
        ),
    })
    .describe("Egress is where sandboxes may connect to besides the gateway."),
  {
    message: "must be empty where dns is false",
    cel: "self.dns || size(self.dnsCIDRs) == 0",
    check: ({ dns, dnsCIDRs }) => dns || dnsCIDRs.length === 0,
    fieldPath: ".dnsCIDRs",
  },
);
export type Egress = z.infer<typeof Egress>;

const HostAlias = z.object({
  ip: withRule(text(45), {
    message: "must be an IPv4 or IPv6 address such as 10.1.2.3",
    cel: "isIP(self)",
    check: isIpAddress,
  }).describe("ip is the address, IPv4 or IPv6."),
  hostnames: setOf(z.array(SubdomainName).min(1).max(16)).describe("hostnames are the address's names, 1 to 16."),
});

const NodeSelector = boundedRecord("labels", { entries: 32, valueCharacters: 63 });

const WorkspaceVolume = z
  .object({
    storageClassName: SubdomainName.optional().describe(
      "storageClassName of the claim, at most 253 characters; left out, the cluster's default.",
    ),
    volumeSnapshotClassName: SubdomainName.describe(
      "volumeSnapshotClassName is the VolumeSnapshotClass that saves the workspace, at most 253 characters.",
    ),
  })
  .describe("WorkspaceVolume is the volume claim of each sandbox, and how it is saved.");

export const SandboxClassSpec = withRule(
  z
    .object({
      default: z
        .boolean()
        .default(false)
        .describe("default makes this the class of sessions that do not name one. Defaults to false."),
      image: matching(text(1024), /^[!-~]+$/, "must be an image reference without spaces")
        .optional()
        .describe("image is the sandbox image, at most 1,024 characters; left out, the operator's own."),
      imagePullPolicy: z
        .enum(["Always", "IfNotPresent", "Never"])
        .optional()
        .describe("imagePullPolicy is when a node pulls the sandbox image; left out, Kubernetes decides by its tag."),
      imagePullSecrets: atomicOf(z.array(SecretName).max(8))
        .default([])
        .describe("imagePullSecrets are names of pull Secrets in the tenant namespace, at most 8. Defaults to none."),
      agent: Agent.optional().describe("agent is the agent of sessions that do not name one."),
      resources: z
        .object({
          requests: ResourceList.prefault({}).describe(
            "requests of the agent's container. Default to 250m cpu and 512Mi memory.",
          ),
          limits: ResourceList.prefault({}).describe(
            "limits of the agent's container. Default to 2 cpu and 2Gi memory.",
          ),
        })
        .prefault({})
        .describe("resources of the agent's container."),
      runtimeResources: z
        .object({
          requests: ResourceList.prefault({}).describe(
            "requests of the runtime's container. Default to 50m cpu and 96Mi memory.",
          ),
          limits: ResourceList.prefault({}).describe(
            "limits of the runtime's container. Default to 1 cpu and 512Mi memory; with less memory large saved workspaces may fail.",
          ),
        })
        .prefault({})
        .describe("runtimeResources of the runtime's container, such as where a LimitRange wants others."),
      workspaceSizeLimit: Quantity.default("10Gi").describe(
        "workspaceSizeLimit is the largest size of the workspace volume. Defaults to 10Gi.",
      ),
      workspaceVolume: WorkspaceVolume.optional().describe(
        "workspaceVolume puts the workspace on a volume of size workspaceSizeLimit that a CSI driver can snapshot; left out, the workspace is on the node's disk and is saved as an archive in the blob store.",
      ),
      maxUnsavedSeconds: integer(0, 604_800)
        .default(86_400)
        .describe(
          "maxUnsavedSeconds is how long an idle sandbox stays up beyond the Session's idleTimeoutSeconds while its workspace cannot be saved, 0 to 604,800; then it ends and the work since the last save is lost. 0 ends it with the first failure. Defaults to 86,400, which is 24 hours.",
        ),
      terminationGracePeriodSeconds: integer(30, 3_600)
        .default(120)
        .describe(
          "terminationGracePeriodSeconds is how long a sandbox may take to save its workspace when its pod is deleted, as by a drain, 30 to 3,600. A node that is shut down may give less. Defaults to 120.",
        ),
      podMetadata: z
        .object({
          labels: boundedRecord("labels", { entries: 32, valueCharacters: 63 })
            .optional()
            .describe("labels are at most 32, with keys of at most 317 characters and values of at most 63."),
          annotations: boundedRecord("annotations", { entries: 32, valueCharacters: 1_024 })
            .optional()
            .describe("annotations are at most 32, with keys of at most 317 characters and values of at most 1,024."),
        })
        .optional()
        .describe(
          "podMetadata is given to sandbox pods, for cost reports or a cluster autoscaler; Runwright's own labels and annotations override it.",
        ),
      runtimeClassName: SubdomainName.optional().describe(
        "runtimeClassName is the pod's RuntimeClass, such as gvisor for stronger isolation; at most 253 characters.",
      ),
      hostUsers: z
        .boolean()
        .optional()
        .describe(
          "hostUsers false gives each sandbox users of its own, who have no rights on the node even when they escape; true shares the node's users. Left out: false where every Node reports that its container runtime supports it and the class names no runtimeClassName, true otherwise.",
        ),
      nodeSelector: NodeSelector.optional().describe(
        "nodeSelector is the pod's node selector: at most 32 labels, with keys of at most 317 characters and values of at most 63.",
      ),
      ...scheduling,
      ...agentExtras,
      readOnlyRootFilesystem: z
        .boolean()
        .default(true)
        .describe(
          "readOnlyRootFilesystem makes the root file system of the agent's container read-only; set it to false for hooks that install packages. Defaults to true.",
        ),
      sandboxTimeoutMs: SandboxTimeoutMs.optional().describe(
        "sandboxTimeoutMs is the sandbox's lifetime in milliseconds where no Repository, Environment or Session sets one: whole seconds, 1,000 to 604,800,000; 7,200,000 is 2 hours. Unset: the operator's, else maxSandboxTimeoutMs, else no limit.",
      ),
      maxSandboxTimeoutMs: SandboxTimeoutMs.optional().describe(
        "maxSandboxTimeoutMs is the longest lifetime that a scope may set, in milliseconds: whole seconds, 1,000 to 604,800,000. A longer one is replaced by it, and the condition SettingsBounded of Session and Repository says so.",
      ),
      settings: ClassSettings.optional().describe(
        "settings of sessions of this class; each overrides the operator's and is overridden by that of Repository, Environment and Session.",
      ),
      maxSandboxes: integer(0, 100_000)
        .default(100)
        .describe(
          "maxSandboxes is how many sandboxes of this class there may be at once in all the namespaces of a release, 0 to 100,000; further sessions wait with reason Queued. Of 2 or more, one in ten, at least one, is for child sessions alone. Defaults to 100.",
        ),
      maxWarmSandboxes: integer(0, 100_000)
        .default(0)
        .describe(
          "maxWarmSandboxes is how many sandboxes of this class may wait in SandboxPools at once in all the namespaces of a release, 0 to 100,000. They count as part of maxSandboxes, and give way to sessions that find no place. Defaults to 0.",
        ),
      maxSandboxesPerNamespace: integer(0, 100_000)
        .optional()
        .describe(
          "maxSandboxesPerNamespace is how many of maxSandboxes the sessions of one namespace may have, 0 to 100,000; further ones wait with reason Queued. Of 2 or more, one in ten, at least one, is for child sessions alone. Unset: all. With and without it a place that is free goes to the namespace that has the fewest.",
        ),
      maxPendingSeconds: integer(1, 2_592_000)
        .optional()
        .describe(
          "maxPendingSeconds is how long a Run may be Pending because something refuses its Session, such as a full quota, and how long its Session may be Queued, in seconds: 1 to 2,592,000 (30 days). It is then Skipped. Unset: it is tried again, or waits, until it starts.",
        ),
      egress: Egress.prefault({}).describe("egress is where sandboxes may connect to besides the gateway."),
      hostAliases: mapOf(z.array(HostAlias).max(32), "ip")
        .optional()
        .describe(
          "hostAliases are names that sandboxes know without DNS, such as the git server's, at most 32 addresses.",
        ),
      tunnelRoute: TunnelRoute.optional().describe(
        "tunnelRoute opens the sessions' tunnelPorts to an ingress controller or Gateway, which then decides who may use them; left out, people reach them only through Runwright's gateway.",
      ),
    })
    .describe("SandboxClassSpec is the wanted state."),
  {
    message: "sandboxTimeoutMs must be at most maxSandboxTimeoutMs",
    cel: "!has(self.sandboxTimeoutMs) || !has(self.maxSandboxTimeoutMs) || self.sandboxTimeoutMs <= self.maxSandboxTimeoutMs",
    check: ({ sandboxTimeoutMs = 0, maxSandboxTimeoutMs = Infinity }) => sandboxTimeoutMs <= maxSandboxTimeoutMs,
    fieldPath: ".sandboxTimeoutMs",
  },
);
export type SandboxClassSpec = z.infer<typeof SandboxClassSpec>;

export const SandboxClassStatus = z.object(observed).describe("SandboxClassStatus is what was observed.");

export const SandboxClass = defineKind({
  kind: "SandboxClass",
  plural: "sandboxclasses",
  shortNames: ["rwclass"],
  namespaced: false,
  description: "SandboxClass configures sandbox pods; one of them is the default.",
  spec: SandboxClassSpec,
  status: SandboxClassStatus,
  columns: [
    column("Default", ".spec.default", "Whether sessions that name no class get this one.", { type: "boolean" }),
    column("Image", ".spec.image", "The sandbox image."),
    column("Max", ".spec.maxSandboxes", "How many sandboxes there may be at once.", { type: "integer" }),
    conditionColumn("Ready", "Ready", "status"),
    conditionColumn("Reason", "Ready", "reason"),
    ageColumn,
    conditionColumn("Message", "Ready", "message"),
  ],
});
export type SandboxClass = ObjectOf<typeof SandboxClassSpec, typeof SandboxClassStatus>;
