import { SandboxClass } from "../../../src/api/v1alpha1/index.ts";
import { annotations, labels } from "../../../src/api/v1alpha1/names.ts";
import { handOverPatch } from "../../../src/controllers/sandbox/hand-over.ts";
import { makeWarmPod } from "../../../src/controllers/sandbox/pool/revision.ts";
import { poolAsOwner } from "../../../src/controllers/sandbox/pool/owner.ts";
import { sessionAsOwner } from "../../../src/controllers/sandbox/owner.ts";
import { makeBasePolicy, makeClassPolicy } from "../../../src/controllers/sandbox/network/network-policy.ts";
import { makeTunnelObjects } from "../../../src/controllers/sandbox/network/tunnel-objects.ts";
import { makeSandboxPod } from "../../../src/controllers/sandbox/pod/pod.ts";
import { makeVolumeSnapshot } from "../../../src/controllers/sandbox/pod/volume-snapshots.ts";
import { makeSandboxAccount } from "../../../src/controllers/sandbox/tenant/service-account.ts";
import type { KubeObject } from "../../../src/lib/resource.ts";
import { aSession } from "../../support/builders.ts";
import { core, of, type Refused, release, tenant, type Tried } from "./tried.ts";

const session = aSession({ metadata: { name: "s", namespace: tenant, uid: "u3" } });
const owner = sessionAsOwner(session);
const environment = { release, image: "sandbox:1", gatewayUrl: "wss://gateway:8443" };
const classOf = (spec: object): SandboxClass => ({
  metadata: { name: "standard" },
  ...SandboxClass.schema.parse({ spec }),
});
const pod = makeSandboxPod({
  owner,
  attempt: 1,
  sandboxClass: classOf({}),
  lifetimeMs: 60_000,
  gatewayCa: "PEM",
  environment,
});

const from = poolAsOwner({
  metadata: { name: "warm", namespace: tenant, uid: "u9" },
  spec: { sandboxClassName: "standard", serviceAccountName: owner.spec.serviceAccountName, replicas: 1 },
});
const warm = makeWarmPod(from, 1, { owner: from, sandboxClass: classOf({}), gatewayCa: "PEM", environment });
const claim = handOverPatch(
  { pod: { metadata: {} }, from, to: owner, attempt: 1, pool: "warm", lifetimeMs: 60_000, safeToEvict: "false" },
  new Date(0),
);

/** A change of the first container, or of the volumes, as lists in a merge patch are whole. */
const first = (change: object): object => ({
  containers: [{ ...pod.spec!.containers[0], ...change }, pod.spec!.containers[1]],
});
const secured = (change: object): object =>
  first({ securityContext: { ...pod.spec!.containers[0]!.securityContext, ...change } });
const volumes = (...more: object[]): object => ({ volumes: [...pod.spec!.volumes!, ...more] });
const named = { name: "more" };
const token = (change: object): object => ({
  projected: { sources: [{ serviceAccountToken: { path: "t", ...change } }] },
});
const noVolume = "spec.volumes[]: the controller may set";

const restricted = { allowPrivilegeEscalation: false, runAsNonRoot: true, capabilities: { drop: ["ALL"] } };
const added = { name: "added", image: "added:1", securityContext: restricted };

/** What other people's admission makes of a sandbox's spec, and may; each is a row of docs/operate/platforms.md. */
const changedByOthers: readonly object[] = [
  {
    tolerations: [{ key: "spot", operator: "Exists", effect: "NoSchedule" }],
    nodeSelector: { "example.com/pool": "tenants" },
    affinity: { podAntiAffinity: {} },
  },
  { imagePullSecrets: [{ name: "mirror" }] },
  { schedulingGates: [{ name: "kueue.x-k8s.io/admission" }] },
  first({ resources: { requests: { cpu: "500m", memory: "1Gi" }, limits: { cpu: "500m", memory: "1Gi" } } }),
  first({ image: "mirror.example.com/sandbox:1" }),
  first({ env: [...pod.spec!.containers[0]!.env!, { name: "HTTPS_PROXY", value: "http://proxy:3128" }] }),
  { containers: [...pod.spec!.containers, added] },
  { initContainers: [added, { ...added, name: "sidecar", restartPolicy: "Always" }] },
  { dnsConfig: { options: [{ name: "ndots", value: "1" }] } },
  { securityContext: { ...pod.spec!.securityContext, supplementalGroups: [3_000] } },
];

const specs: readonly (readonly [string, object, string])[] = [
  [
    "under an account without a class",
    { serviceAccountName: "other" },
    "spec.serviceAccountName: must be allowed to use",
  ],
  [
    "with its account's token",
    { automountServiceAccountToken: true },
    "spec.automountServiceAccountToken: must not be true",
  ],
  ["with its account's token by default", { automountServiceAccountToken: null }, "spec.automountServiceAccountToken"],
  ["in the node's network", { hostNetwork: true }, "spec.hostNetwork: must not be true"],
  ["among the node's processes", { hostPID: true }, "spec.hostPID: must not be true"],
  ["with the node's IPC", { hostIPC: true }, "spec.hostIPC: must not be true"],
  ["with one process namespace", { shareProcessNamespace: true }, "spec.shareProcessNamespace: must not be true"],
  ["on a node of its choice", { nodeName: "node-1" }, "spec.nodeName: must not be set"],
  ["with a port of the node", first({ ports: [{ containerPort: 80, hostPort: 80 }] }), "hostPort: must not be set"],
  ["that may be root", { securityContext: { runAsNonRoot: null } }, "spec.securityContext.runAsNonRoot"],
  ["that is root", { securityContext: { runAsUser: 0 } }, "spec.securityContext.runAsUser: must not be 0"],
  [
    "with sysctls",
    { securityContext: { sysctls: [{ name: "kernel.shm_rmid_forced", value: "1" }] } },
    "spec.securityContext: the controller may set",
  ],
  [
    "without seccomp",
    { securityContext: { seccompProfile: { type: "Unconfined" } } },
    "seccompProfile: must not be of type Unconfined",
  ],
  [
    "with a host process",
    { securityContext: { windowsOptions: { runAsUserName: "x" } } },
    "spec.securityContext: the controller may set",
  ],
  [
    "with a type of SELinux's user",
    { securityContext: { seLinuxOptions: { user: "system_u" } } },
    "must have neither user nor role",
  ],
  [
    "that is privileged",
    secured({ privileged: true, allowPrivilegeEscalation: true }),
    "spec.containers[].securityContext.allowPrivilegeEscalation: must not be true",
  ],
  [
    "that escalates",
    secured({ allowPrivilegeEscalation: true }),
    "spec.containers[].securityContext.allowPrivilegeEscalation: must not be true",
  ],
  [
    "with a capability",
    secured({ capabilities: { drop: ["ALL"], add: ["SYS_ADMIN"] } }),
    "capabilities.add: must not be set",
  ],
  ["that keeps its capabilities", secured({ capabilities: {} }), "spec.containers[].securityContext.capabilities.drop"],
  [
    "with a container that is root",
    secured({ runAsUser: 0 }),
    "spec.containers[].securityContext.runAsUser: must not be 0",
  ],
  [
    "with a container that may be root",
    secured({ runAsNonRoot: false }),
    "spec.containers[].securityContext.runAsNonRoot: must be true",
  ],
  [
    "with /proc unmasked",
    { ...secured({ procMount: "Unmasked" }), hostUsers: false },
    "spec.containers[].securityContext: the controller may set",
  ],
  ["with an open container", first({ securityContext: null }), "spec.containers[].securityContext"],
  [
    "with an open first container",
    { initContainers: [{ name: "first", image: "x" }] },
    "spec.initContainers[].securityContext",
  ],
  [
    "with a mesh's init container, which wants rights in the pod's network",
    {
      initContainers: [
        {
          name: "istio-init",
          image: "proxyv2:1",
          securityContext: { ...restricted, capabilities: { drop: ["ALL"], add: ["NET_ADMIN", "NET_RAW"] } },
        },
      ],
    },
    "capabilities.add: must not be set",
  ],
  ["with the node's files", volumes({ ...named, hostPath: { path: "/" } }), noVolume],
  ["with a Secret", volumes({ ...named, secret: { secretName: "x" } }), noVolume],
  ["with a share", volumes({ ...named, nfs: { server: "x", path: "/" } }), noVolume],
  ["with a driver's volume", volumes({ ...named, csi: { driver: "x" } }), noVolume],
  [
    "with a projected Secret",
    volumes({ ...named, projected: { sources: [{ secret: { name: "x" } }] } }),
    "spec.volumes[].projected.sources[]: the controller may set",
  ],
  ["with a token for the kube-apiserver", volumes({ ...named, ...token({}) }), "serviceAccountToken.audience"],
  [
    "with a token for another audience",
    volumes({ ...named, ...token({ audience: "https://kubernetes.default.svc" }) }),
    "audience: must be that of sandboxes",
  ],
];

const metadata: readonly Refused[] = [
  [
    "without component",
    { metadata: { labels: { [labels.component]: "web" } } },
    "metadata.labels: must name component",
  ],
  [
    "without a class",
    { metadata: { labels: { [labels.sandboxClass]: null } } },
    "metadata.labels: must name component",
  ],
  [
    "that another class names",
    { metadata: { labels: { [labels.sandboxClass]: "large" } } },
    "spec.serviceAccountName: must be allowed to use",
  ],
  [
    "of another session's UID",
    { metadata: { labels: { [labels.sessionUid]: "u9" } } },
    "metadata.labels: must name component",
  ],
  [
    "of a ConfigMap",
    { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "s", uid: "u3" }] } },
    "metadata.ownerReferences: must name one object of runwright.dev",
  ],
];

const policy = makeClassPolicy(tenant, release, classOf({}), []);
const account = makeSandboxAccount(tenant, release, "standard");
const role = "/apis/rbac.authorization.k8s.io/v1";
const networking = "/apis/networking.k8s.io/v1";
const rules = "rules[]: must be to read repositories and environments, or to use one class";
const everything = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] };

/** What is kept in a namespace: tried as it is created, and with the same changes when it is there. */
function kept(
  what: string,
  path: string,
  object: KubeObject,
  refused: readonly Refused[],
  atCreation: readonly Refused[] = [],
): Tried[] {
  const named: Refused = ["of another name", { metadata: { name: "other" } }, "metadata.name: must"];
  const process = "controller";
  return [
    { process, write: `controller-${what}`, path, object, refused: [...refused, ...atCreation, named] },
    {
      process,
      write: `controller-${what}-changes`,
      path,
      stored: object,
      object: { metadata: { labels: object.metadata.labels } },
      refused,
    },
  ];
}

const selects = "spec.podSelector: must select sandboxes alone";
const [tunnelPolicy, service, ingress] = makeTunnelObjects(
  { ...pod, metadata: { ...pod.metadata, uid: "u4" } },
  session.metadata,
  [3000],
  {
    domain: "example.com",
    scheme: "https",
    controllerNamespace: "gateways",
    annotations: { a: "b" },
    ingress: { className: "nginx" },
  },
);
const [, , route] = makeTunnelObjects({ ...pod, metadata: { ...pod.metadata, uid: "u4" } }, session.metadata, [3000], {
  domain: "example.com",
  scheme: "https",
  controllerNamespace: "gateways",
  httpRoute: { parentRefs: [{ name: "g", namespace: "gateways" }] },
});

export const tenantTried: readonly Tried[] = [
  {
    process: "controller",
    write: "controller-pods",
    path: of(core, "pods"),
    object: pod,
    refused: [...specs.map(([what, spec, message]) => [what, { spec }, message] as const), ...metadata],
  },
  {
    process: "controller",
    write: "controller-pod-claims",
    path: of(core, "pods"),
    stored: { ...warm, metadata: { ...warm.metadata, name: "stored" } },
    object: claim,
    refused: [
      [
        "of another image",
        { spec: { containers: warm.spec!.containers.map((one) => ({ ...one, image: "other:1" })) } },
        "activeDeadlineSeconds only",
      ],
      [
        "of a pool again",
        { metadata: { ownerReferences: warm.metadata.ownerReferences } },
        "the Session as the one owner",
      ],
      ["of another class", { metadata: { labels: { [labels.sandboxClass]: "other" } } }, "metadata.labels"],
      ["of another authority", { metadata: { annotations: { [annotations.gatewayCa]: "PEM2" } } }, "annotations"],
      ["under another session's UID", { metadata: { labels: { [labels.sessionUid]: "other" } } }, "the owner's UID"],
    ],
  },
  ...[
    { workspaceVolume: { storageClassName: "fast", volumeSnapshotClassName: "fast" } },
    { egress: { dns: false }, hostAliases: [{ ip: "10.0.0.1", hostnames: ["git"] }] },
    { volumes: [{ name: "cache", mountPath: "/cache", configMap: { name: "c" } }] },
    { hostUsers: false },
    { podMetadata: { labels: { team: "blue" }, annotations: { a: "b" } }, readOnlyRootFilesystem: false },
  ].map((spec): Tried => {
    const object = makeSandboxPod({
      owner,
      attempt: 1,
      sandboxClass: classOf(spec),
      lifetimeMs: undefined,
      gatewayCa: "PEM",
      environment,
    });
    return { process: "controller", write: "controller-pods", path: of(core, "pods"), object };
  }),
  ...changedByOthers.map((change): Tried => {
    const object = { ...pod, spec: { ...pod.spec, ...change } };
    return { process: "controller", write: "controller-pods", path: of(core, "pods"), object };
  }),
  ...kept("accounts", of(core, "serviceaccounts"), account.account, [
    ["with a token", { automountServiceAccountToken: true }, "automountServiceAccountToken: must not be true"],
    ["with pull secrets", { imagePullSecrets: [{ name: "x" }] }, "automountServiceAccountToken only"],
    ["with a cloud's identity", { metadata: { annotations: { "eks.amazonaws.com/role-arn": "x" } } }, "annotations"],
  ]),
  ...kept("roles", of(role, "roles"), account.role, [
    ["for everything", { rules: [everything] }, rules],
    ["for another group's kinds", { rules: [{ apiGroups: [""], resources: ["repositories"], verbs: ["get"] }] }, rules],
    ["to read Secrets", { rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }] }, rules],
    [
      "to write repositories",
      { rules: [{ apiGroups: ["runwright.dev"], resources: ["repositories"], verbs: ["get", "create"] }] },
      rules,
    ],
    [
      "to use all classes",
      { rules: [{ apiGroups: ["runwright.dev"], resources: ["sandboxclasses"], verbs: ["use"] }] },
      rules,
    ],
  ]),
  ...kept(
    "role-bindings",
    of(role, "rolebindings"),
    account.binding,
    [
      [
        "for all accounts",
        { subjects: [{ kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "system:serviceaccounts" }] },
        "subjects: must be the ServiceAccount",
      ],
      [
        "for another account",
        { subjects: [{ kind: "ServiceAccount", name: "other", namespace: tenant }] },
        "subjects: must be the ServiceAccount",
      ],
      [
        "for another namespace's",
        { subjects: [{ kind: "ServiceAccount", name: "runwright-sandbox", namespace: "other" }] },
        "subjects: must be the ServiceAccount",
      ],
    ],
    [["of a ClusterRole", { roleRef: { kind: "ClusterRole", name: "admin" } }, "roleRef: must be the Role"]],
  ),
  {
    process: "controller",
    write: "controller-network-policies",
    path: of(networking, "networkpolicies"),
    object: policy,
    refused: [
      ["that selects all pods", { spec: { podSelector: { matchLabels: null } } }, selects],
      [
        "that selects other pods",
        { spec: { podSelector: { matchLabels: { [labels.component]: "web", [labels.sandboxClass]: null } } } },
        selects,
      ],
      ["of another name", { metadata: { name: "other" } }, "metadata.name: must begin with"],
    ],
  },
  ...[makeBasePolicy(tenant, release, 8443), tunnelPolicy!.object].map((object): Tried => {
    return {
      process: "controller",
      write: "controller-network-policies",
      path: of(networking, "networkpolicies"),
      object,
    };
  }),
  {
    process: "controller",
    write: "controller-network-policy-changes",
    path: of(networking, "networkpolicies"),
    stored: policy,
    object: { spec: { egress: [{}] } },
    refused: [["so that it selects other pods", { spec: { podSelector: { matchLabels: null } } }, selects]],
  },
  {
    process: "controller",
    write: "controller-services",
    path: of(core, "services"),
    object: service!.object,
    refused: [
      ["at a port of each node", { spec: { type: "NodePort" } }, "spec"],
      ["at a load balancer", { spec: { type: "LoadBalancer" } }, "spec"],
      ["under another's address", { spec: { externalIPs: ["192.0.2.1"] } }, "spec: the controller may set"],
      ["for other pods", { spec: { selector: { app: "web", [labels.sessionUid]: null } } }, "spec.selector: must name"],
      ["of another name", { metadata: { name: "web" } }, "metadata.name: must begin with tunnel-"],
    ],
  },
  {
    process: "controller",
    write: "controller-ingresses",
    path: of(networking, "ingresses"),
    object: ingress!.object,
    refused: [
      [
        "for all hosts",
        { spec: { defaultBackend: { service: { name: "web", port: { number: 80 } } } } },
        "spec: the controller may set",
      ],
    ],
  },
  {
    process: "controller",
    write: "controller-http-routes",
    path: of("/apis/gateway.networking.k8s.io/v1", "httproutes"),
    object: route!.object,
    refused: [["of another name", { metadata: { name: "web" } }, "metadata.name: must begin with tunnel-"]],
  },
  {
    process: "controller",
    write: "controller-volume-snapshots",
    path: of("/apis/snapshot.storage.k8s.io/v1", "volumesnapshots"),
    object: makeVolumeSnapshot(owner, { podName: "s-1" }, "fast"),
    refused: [
      [
        "of another owner",
        { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "s", uid: "u" }] } },
        "must name one object of runwright.dev",
      ],
      [
        "of content that is there",
        { spec: { source: { persistentVolumeClaimName: null, volumeSnapshotContentName: "x" } } },
        "spec.source: the controller may set",
      ],
    ],
  },
];
