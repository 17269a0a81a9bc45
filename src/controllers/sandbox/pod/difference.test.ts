import { describe, expect, it } from "vitest";
import { aSession } from "../../../../test/support/builders.ts";
import { annotations, labels, SandboxClass } from "../../../api/v1alpha1/index.ts";
import type { Pod } from "../../../kube/core-resources.ts";
import { sessionAsOwner } from "../owner.ts";
import { podDifference } from "./difference.ts";
import { makeSandboxPod } from "./pod.ts";

const wanted = makeSandboxPod({
  owner: sessionAsOwner(aSession({ metadata: { name: "fix", namespace: "team", uid: "u1" } })),
  attempt: 1,
  sandboxClass: { metadata: { name: "standard" }, ...SandboxClass.schema.parse({ spec: {} }) },
  lifetimeMs: 60_000,
  gatewayCa: "PEM",
  hasUserNamespaces: true,
  environment: {
    release: { name: "rw", namespace: "system" },
    image: "sandbox:1",
    gatewayUrl: "wss://rw-gateway.system.svc:8443",
  },
});

type Spec = NonNullable<Pod["spec"]>;
type Container = Spec["containers"][number];

/** The pod as it is stored, with this change. */
function stored(change: (spec: Spec & { containers: [Container, Container] }, pod: Pod) => void): Pod {
  const pod = structuredClone(wanted);
  change(pod.spec as Spec & { containers: [Container, Container] }, pod);
  return pod;
}

it.each<[string, Pod]>([
  ["itself", wanted],
  ["a label of others", stored((_, { metadata }) => (metadata.labels!.team = "shop"))],
  ["an annotation of others", stored((_, { metadata }) => (metadata.annotations!.address = "10.0.0.1"))],
  ["tolerations", stored((spec) => (spec.tolerations = [{ key: "node.kubernetes.io/not-ready", operator: "Exists" }]))],
  ["pull secrets of its account", stored((spec) => (spec.imagePullSecrets = [{ name: "registry" }]))],
  ["a node", stored((spec) => (spec.nodeName = "node-1"))],
  ["defaults of a container", stored(({ containers: [one] }) => (one.terminationMessagePath = "/dev/termination-log"))],
  [
    "defaults of a volume",
    stored(({ volumes }) => (volumes!.find(({ name }) => name === "token")!.projected!.defaultMode = 420)),
  ],
  ["users that the API server does not know", stored((spec) => delete spec.hostUsers)],
  ["other limits", stored(({ containers: [one] }) => (one.resources = { limits: { cpu: "100m" } }))],
])("finds no difference in %s", (_, pod) => expect(podDifference(wanted, pod)).toBeUndefined());

const extra = { name: "more", image: "any" };
describe("names the first field that differs", () => {
  it.each<[string, (spec: Spec & { containers: [Container, Container] }, pod: Pod) => void]>([
    [`metadata.labels.${labels.component}`, (_, { metadata }) => (metadata.labels![labels.component] = "other")],
    [`metadata.labels.${labels.sandboxClass}`, (_, { metadata }) => (metadata.labels![labels.sandboxClass] = "open")],
    [
      `metadata.annotations.${annotations.gatewayCa}`,
      (_, { metadata }) => (metadata.annotations![annotations.gatewayCa] = "PEM of others"),
    ],
    ["spec.serviceAccountName", (spec) => (spec.serviceAccountName = "admin")],
    ["spec.automountServiceAccountToken", (spec) => (spec.automountServiceAccountToken = true)],
    ["spec.hostNetwork", (spec) => (spec.hostNetwork = true)],
    ["spec.hostPID", (spec) => (spec.hostPID = true)],
    ["spec.hostUsers", (spec) => (spec.hostUsers = true)],
    ["spec.hostIPC", (spec) => (spec.hostIPC = true)],
    ["spec.hostAliases", (spec) => (spec.hostAliases = [{ ip: "10.0.0.1", hostnames: ["gateway"] }])],
    ["spec.dnsConfig", (spec) => (spec.dnsConfig = { nameservers: ["10.0.0.1"] })],
    ["spec.shareProcessNamespace", (spec) => (spec.shareProcessNamespace = true)],
    ["spec.runtimeClassName", (spec) => (spec.runtimeClassName = "plain")],
    ["spec.activeDeadlineSeconds", (spec) => delete spec.activeDeadlineSeconds],
    ["spec.securityContext.runAsNonRoot", (spec) => (spec.securityContext!.runAsNonRoot = false)],
    ["spec.securityContext.sysctls", (spec) => (spec.securityContext!.sysctls = [{ name: "a", value: "1" }])],
    ["spec.initContainers", (spec) => (spec.initContainers = [extra])],
    ["spec.ephemeralContainers", (spec) => (spec.ephemeralContainers = [extra])],
    ["spec.containers", (spec) => spec.containers.push(extra)],
    ["spec.containers[1].name", ({ containers }) => (containers[1].name = "other")],
    ["spec.containers[0].image", ({ containers }) => (containers[0].image = "sandbox:2")],
    ["spec.containers[0].command[1]", ({ containers }) => (containers[0].command![1] = "other")],
    ["spec.containers[0].args", ({ containers }) => (containers[0].args = ["other"])],
    ["spec.containers[0].env[0].value", ({ containers }) => (containers[0].env![0]!.value = "wss://elsewhere")],
    ["spec.containers[0].env", ({ containers }) => containers[0].env!.push({ name: "NODE_OPTIONS", value: "-r x" })],
    ["spec.containers[0].envFrom", ({ containers }) => (containers[0].envFrom = [{ secretRef: { name: "other" } }])],
    ["spec.containers[0].lifecycle", ({ containers }) => (containers[0].lifecycle = { postStart: { exec: {} } })],
    [
      "spec.containers[1].securityContext.allowPrivilegeEscalation",
      ({ containers }) => (containers[1].securityContext!.allowPrivilegeEscalation = true),
    ],
    [
      "spec.containers[1].securityContext.privileged",
      ({ containers }) => (containers[1].securityContext!.privileged = true),
    ],
    [
      "spec.containers[1].volumeMounts",
      ({ containers }) => containers[1].volumeMounts!.push({ name: "token", mountPath: "/t" }),
    ],
    ["spec.volumes", ({ volumes }) => volumes!.push({ name: "host", hostPath: { path: "/" } })],
    ["spec.volumes[4].emptyDir", ({ volumes }) => (volumes![4] = { name: volumes![4]!.name, hostPath: { path: "/" } })],
  ])("%s", (field, change) => expect(podDifference(wanted, stored(change))).toBe(field));
});
