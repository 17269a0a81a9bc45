import { sessionAsOwner } from "../owner.ts";
import { expect, it } from "vitest";
import { aSession } from "../../../../test/support/builders.ts";
import { SandboxClass } from "../../../api/v1alpha1/sandbox-class.ts";
import { sandboxPodName } from "./names.ts";
import { makeSandboxPod } from "./pod.ts";

const session = aSession({
  metadata: { name: "triage-alerts-x7k2-0", namespace: "team-a", uid: "0f2b" },
  spec: { serviceAccountName: "automation-runner" },
});

function aClass(spec: object = {}): SandboxClass {
  return { metadata: { name: "standard" }, ...SandboxClass.schema.parse({ spec }) };
}

function pod(
  spec: object = {},
  given: { gatewayAddresses?: readonly string[] } = {},
): ReturnType<typeof makeSandboxPod> {
  return makeSandboxPod({
    owner: sessionAsOwner(session),
    attempt: 2,
    sandboxClass: aClass(spec),
    lifetimeMs: 7_200_500,
    gatewayCa: "PEM",
    ...given,
    environment: {
      release: { name: "rw", namespace: "system" },
      image: "sandbox:1",
      gatewayUrl: "wss://rw-gateway.system.svc:8443",
    },
  });
}

function container(name: string, spec: object = {}) {
  return pod(spec).spec!.containers.find((one) => one.name === name)!;
}

it("belongs to its session and never holds back the session's deletion", () => {
  expect(pod().metadata.ownerReferences).toEqual([
    {
      apiVersion: "runwright.dev/v1alpha1",
      kind: "Session",
      name: session.metadata.name,
      uid: "0f2b",
      controller: true,
    },
  ]);
});

it("mounts the gateway's token in the runtime's container alone and no API server's token anywhere", () => {
  const { volumes, automountServiceAccountToken } = pod().spec!;
  expect(automountServiceAccountToken).toBe(false);
  expect(container("runtime").volumeMounts!.map(({ name }) => name)).toEqual([
    "socket",
    "token",
    "gateway-ca",
    "skills",
  ]);
  expect(container("agent").volumeMounts!.map(({ name }) => name)).toEqual([
    "socket",
    "workspace",
    "home",
    "tmp",
    "skills",
  ]);
  expect(volumes!.find(({ name }) => name === "token")!.projected!.sources).toEqual([
    { serviceAccountToken: { path: "token", audience: "runwright-sandbox.system.rw", expirationSeconds: 3600 } },
  ]);
});

it("lets the runtime make sockets, and the agent only connect to them", () => {
  const socket = { name: "socket", mountPath: "/run/runwright/socket" };
  expect(container("runtime").volumeMounts).toContainEqual(socket);
  expect(container("agent").volumeMounts).toContainEqual({ ...socket, readOnly: true });
});

it("lets the runtime write the skills, and the agent read them", () => {
  const skills = { name: "skills", mountPath: "/run/runwright/skills" };
  expect(container("runtime").volumeMounts).toContainEqual(skills);
  expect(container("agent").volumeMounts).toContainEqual({ ...skills, readOnly: true });
});

it("hands the gateway's authorities over by annotation", () => {
  expect(pod().metadata.annotations).toMatchObject({ "runwright.dev/gateway-ca": "PEM" });
  expect(pod().spec!.volumes!.find(({ name }) => name === "gateway-ca")!.downwardAPI!.items).toEqual([
    { path: "ca.crt", fieldRef: { fieldPath: "metadata.annotations['runwright.dev/gateway-ca']" } },
  ]);
});

it("has no webhook of a cloud give its containers the cloud's identity", () => {
  expect(pod().metadata.annotations).toMatchObject({
    "eks.amazonaws.com/skip-containers": "runtime,agent",
    "azure.workload.identity/skip-containers": "runtime;agent",
    "pod-identity.alibabacloud.com/skip-containers": "runtime,agent",
  });
});

it("is left out by service meshes, unless its class says otherwise", () => {
  const { labels, annotations } = pod().metadata;
  expect(labels).toMatchObject({
    "sidecar.istio.io/inject": "false",
    "istio.io/dataplane-mode": "none",
    "kuma.io/sidecar-injection": "disabled",
  });
  expect(annotations).toMatchObject({
    "linkerd.io/inject": "disabled",
    "consul.hashicorp.com/connect-inject": "false",
  });
  const podMetadata = {
    labels: { "istio.io/dataplane-mode": "ambient" },
    annotations: { "linkerd.io/inject": "ingress" },
  };
  const meshed = pod({ podMetadata }).metadata;
  expect(meshed.labels).toMatchObject({ "istio.io/dataplane-mode": "ambient", "sidecar.istio.io/inject": "false" });
  expect(meshed.annotations).toMatchObject({ "linkerd.io/inject": "ingress" });
});

it("has the last line of a container that failed in the pod's status", () => {
  const policies = pod().spec!.containers.map(({ terminationMessagePolicy }) => terminationMessagePolicy);
  expect(policies).toEqual(["FallbackToLogsOnError", "FallbackToLogsOnError"]);
});

it("knows names by DNS unless its class says otherwise", () => {
  expect(pod().spec).not.toHaveProperty("dnsPolicy");
  expect(pod().spec).not.toHaveProperty("hostAliases");
});

it("knows only the gateway's name and those of its class without DNS", () => {
  const git = { ip: "10.1.2.3", hostnames: ["git.example.com"] };
  const { spec } = pod({ egress: { dns: false }, hostAliases: [git] }, { gatewayAddresses: ["10.96.0.9", "fd00::9"] });
  expect(spec).toMatchObject({
    dnsPolicy: "None",
    dnsConfig: { nameservers: ["127.0.0.1"] },
    hostAliases: [
      { ip: "10.96.0.9", hostnames: ["rw-gateway.system.svc"] },
      { ip: "fd00::9", hostnames: ["rw-gateway.system.svc"] },
      git,
    ],
  });
});

it("keeps the two containers apart as users and puts nothing of the platform into the agent's environment", () => {
  expect(container("runtime").securityContext!.runAsUser).toBe(10_001);
  expect(container("agent").securityContext!.runAsUser).toBe(10_002);
  expect(container("agent").env).toEqual([{ name: "HOME", value: "/home/agent" }]);
  expect(container("runtime").env).toEqual([
    { name: "RUNWRIGHT_GATEWAY_URL", value: "wss://rw-gateway.system.svc:8443" },
    { name: "RUNWRIGHT_SESSION_UID", value: "0f2b" },
    { name: "RUNWRIGHT_ATTEMPT", value: "2" },
  ]);
});

it("gives the kubelet 10 minutes more than the lifetime, in whole seconds", () => {
  expect(pod().spec!.activeDeadlineSeconds).toBe(7_801);
});

it("takes from the class what the class says", () => {
  const spec = {
    image: "own:2",
    imagePullPolicy: "Never",
    imagePullSecrets: ["pull"],
    runtimeClassName: "gvisor",
    nodeSelector: { pool: "agents" },
    readOnlyRootFilesystem: false,
    workspaceSizeLimit: "3Gi",
  };
  expect(pod(spec).spec).toMatchObject({
    runtimeClassName: "gvisor",
    nodeSelector: { pool: "agents" },
    imagePullSecrets: [{ name: "pull" }],
  });
  expect(container("agent", spec)).toMatchObject({ image: "own:2", imagePullPolicy: "Never" });
  expect(container("agent", spec).securityContext!.readOnlyRootFilesystem).toBe(false);
  expect(container("runtime", spec).securityContext!.readOnlyRootFilesystem).toBe(true);
  expect(pod(spec).spec!.volumes!.find(({ name }) => name === "workspace")!.emptyDir).toEqual({ sizeLimit: "3Gi" });
});

it.each<[string, object, object, boolean | undefined]>([
  ["nothing is known of Nodes", {}, {}, undefined],
  ["a Node does not", {}, { hasUserNamespaces: false }, undefined],
  ["all Nodes do", {}, { hasUserNamespaces: true }, false],
  ["all Nodes do, with another runtime", { runtimeClassName: "gvisor" }, { hasUserNamespaces: true }, undefined],
  ["all Nodes do, and the class does not want it", { hostUsers: true }, { hasUserNamespaces: true }, undefined],
  ["a Node does not, and the class wants it", { hostUsers: false }, { hasUserNamespaces: false }, false],
  ["the class wants it with another runtime", { hostUsers: false, runtimeClassName: "crun" }, {}, false],
])("gives a sandbox users of its own where Nodes support them: %s", (_name, spec, source, hostUsers) => {
  expect(pod(spec, source).spec!.hostUsers).toBe(hostUsers);
});

const requested = { "ephemeral-storage": "64Mi" };
/** Bytes: three volumes of 10 GiB, those of the runtime, and as much as the workspace beside them. */
const usual = { "ephemeral-storage": String(40 * 1_024 ** 3 + 65 * 1_024 ** 2) };
it.each([
  ["nothing", {}, { cpu: "250m", memory: "512Mi", ...requested }, { cpu: "2", memory: "2Gi", ...usual }],
  [
    "limits below the default requests",
    { limits: { cpu: "100m", memory: "256Mi" } },
    { cpu: "100m", memory: "256Mi", ...requested },
    { cpu: "100m", memory: "256Mi", ...usual },
  ],
  [
    "requests above the default limits",
    { requests: { cpu: "4", memory: "8Gi" } },
    { cpu: "4", memory: "8Gi", ...requested },
    { cpu: "4", memory: "8Gi", ...usual },
  ],
  [
    "both, and storage",
    { requests: { cpu: "1" }, limits: { cpu: "3", "ephemeral-storage": "9Gi" } },
    { cpu: "1", memory: "512Mi", ...requested },
    { cpu: "3", memory: "2Gi", "ephemeral-storage": "9Gi" },
  ],
  [
    "storage below the default request",
    { limits: { "ephemeral-storage": "32Mi" } },
    { cpu: "250m", memory: "512Mi", "ephemeral-storage": "32Mi" },
    { cpu: "2", memory: "2Gi", "ephemeral-storage": "32Mi" },
  ],
])("gives the agent resources where the class sets %s", (_name, resources, requests, limits) => {
  expect(container("agent", { resources }).resources).toEqual({ requests, limits });
});

it.each([
  ["nothing", undefined, { requests: { cpu: "50m", memory: "96Mi" }, limits: { cpu: "1", memory: "512Mi" } }],
  [
    "requests",
    { requests: { cpu: "100m", memory: "128Mi" }, limits: {} },
    { requests: { cpu: "100m", memory: "128Mi" }, limits: { cpu: "1", memory: "512Mi" } },
  ],
  [
    "limits below the usual requests",
    { requests: {}, limits: { cpu: "40m", memory: "64Mi" } },
    { requests: { cpu: "40m", memory: "64Mi" }, limits: { cpu: "40m", memory: "64Mi" } },
  ],
])("gives the runtime resources where the class sets %s", (_name, runtimeResources, want) => {
  expect(container("runtime", runtimeResources ? { runtimeResources } : {}).resources).toEqual(want);
});

it("has shared memory in memory where the class asks for it, which takes nothing of the disk", () => {
  const emptyDir = { sizeLimit: "2Gi", medium: "Memory" as const };
  const spec = { volumes: [{ name: "shm", mountPath: "/dev/shm", emptyDir }] };
  expect(container("agent", spec).volumeMounts).toContainEqual({ name: "shm", mountPath: "/dev/shm" });
  expect(pod(spec).spec?.volumes).toContainEqual({ name: "shm", emptyDir });
  expect(container("agent", spec).resources).toEqual(container("agent", {}).resources);
});

it.each([
  ["with the workspace on a volume", { workspaceVolume: { volumeSnapshotClassName: "fast" } }, 20 * 1_024],
  [
    "with an emptyDir of its own",
    { volumes: [{ name: "cache", mountPath: "/c", emptyDir: { sizeLimit: "1Gi" } }] },
    41 * 1_024,
  ],
])("gives the agent storage for all volumes of the node's disk %s", (_name, spec, mebibytes) => {
  const limits = container("agent", spec).resources!.limits!;
  expect(limits["ephemeral-storage"]).toBe(String((mebibytes + 65) * 1_024 ** 2));
});

it.each([
  ["on the node's disk", {}, { name: "home" }, ["tmp", "home"]],
  [
    "on the volume of the workspace",
    { workspaceVolume: { volumeSnapshotClassName: "fast" } },
    { name: "workspace", subPath: ".runwright-home" },
    ["tmp"],
  ],
])("has the agent's home %s", (_name, spec, mount, volumes) => {
  const mounts = container("agent", spec).volumeMounts ?? [];
  expect(mounts.filter(({ mountPath }) => mountPath === "/home/agent")).toEqual([
    { mountPath: "/home/agent", ...mount },
  ]);
  const names = (pod(spec).spec?.volumes ?? []).map(({ name }) => name);
  expect(names.filter((name) => ["home", "tmp"].includes(name)).sort()).toEqual([...volumes].sort());
});

it("names pods so that they fit a label and differ by session and attempt", () => {
  const long = { name: "a".repeat(19) + "-" + "b".repeat(40), uid: "u1" };
  expect(sandboxPodName(long, 1_000_000)).toMatch(/^a{19}-[a-z2-7]{8}-1000000$/);
  expect(sandboxPodName(long, 1)).toBe(sandboxPodName(long, 1));
  expect(sandboxPodName(long, 1)).not.toBe(sandboxPodName({ ...long, uid: "u2" }, 1));
});

it("has the class's labels and annotations beside our own, which stay as they are, and its grace period", () => {
  const own = pod().metadata;
  const spec = {
    terminationGracePeriodSeconds: 300,
    podMetadata: {
      labels: { team: "blue", "runwright.dev/attempt": "9" },
      annotations: { "cluster-autoscaler.kubernetes.io/safe-to-evict": "false", "runwright.dev/gateway-ca": "other" },
    },
  };
  const { metadata, spec: podSpec } = pod(spec);
  expect(metadata.labels).toEqual({ team: "blue", ...own.labels });
  expect(metadata.annotations).toEqual({
    "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
    ...own.annotations,
  });
  expect([pod().spec, podSpec].map((one) => one!.terminationGracePeriodSeconds)).toEqual([120, 300]);
});
