import { expect, it } from "vitest";

import { SandboxClass } from "../../../api/v1alpha1/sandbox-class.ts";
import type { NetworkPolicy } from "../../../kube/core-resources.ts";
import { covers } from "./fake-network.ts";
import { makeBasePolicy, makeClassPolicy } from "./network-policy.ts";

// No traffic is tried: this judges the policies of a sandbox of a class that says nothing of egress, as a network plugin
// that enforces them would.

type Rules = NonNullable<NonNullable<NetworkPolicy["spec"]>["egress"]>;
type Selector = { matchLabels?: Record<string, string> | undefined } | undefined;

/** A peer: its address, and its labels where it is a pod of the cluster. */
interface Peer {
  address: string;
  namespace?: string;
  labels?: Record<string, string>;
}

const release = { name: "rw", namespace: "system" };
const gatewayPort = 8443;
const standard = { metadata: { name: "standard" }, ...SandboxClass.schema.parse({ spec: {} }) };
const policies = [
  makeBasePolicy("team-a", release, gatewayPort),
  makeClassPolicy("team-a", release, standard, ["198.41.0.7/32"]),
];

const sandbox = { "app.kubernetes.io/component": "sandbox", "runwright.dev/sandbox-class": "standard" };
const gateway = {
  "app.kubernetes.io/name": "runwright",
  "app.kubernetes.io/instance": "rw",
  "app.kubernetes.io/component": "gateway",
};

function selects(selector: Selector, labels: Record<string, string> = {}): boolean {
  return Object.entries(selector?.matchLabels ?? {}).every(([name, value]) => labels[name] === value);
}

function isPeer(to: NonNullable<Rules[number]["to"]>[number], peer: Peer): boolean {
  if (to.ipBlock) {
    return (
      covers(to.ipBlock.cidr, peer.address) && !(to.ipBlock.except ?? []).some((range) => covers(range, peer.address))
    );
  }
  if (peer.namespace === undefined) return false;
  const ofNamespace = { "kubernetes.io/metadata.name": peer.namespace };
  return selects(to.namespaceSelector, ofNamespace) && selects(to.podSelector, peer.labels);
}

function reaches(peer: Peer, port: number, protocol = "TCP"): boolean {
  const rules = policies.flatMap(({ spec }) => (selects(spec?.podSelector, sandbox) ? (spec?.egress ?? []) : []));
  return rules.some(
    ({ to = [], ports }) =>
      to.some((one) => isPeer(one, peer)) &&
      (ports ?? [{ protocol, port }]).some((open) => open.protocol === protocol && Number(open.port) === port),
  );
}

it.each<[string, Peer, number, string, boolean]>([
  ["the gateway's sandbox port", { address: "10.244.0.5", namespace: "system", labels: gateway }, 8443, "TCP", true],
  [
    "cluster DNS",
    { address: "10.244.0.2", namespace: "kube-system", labels: { "k8s-app": "kube-dns" } },
    53,
    "UDP",
    true,
  ],
  [
    "OpenShift's DNS, at its pods' own port",
    {
      address: "10.128.0.3",
      namespace: "openshift-dns",
      labels: { "dns.operator.openshift.io/daemonset-dns": "default" },
    },
    5353,
    "UDP",
    true,
  ],
  [
    "other pods beside OpenShift's DNS",
    { address: "10.128.0.4", namespace: "openshift-dns", labels: {} },
    5353,
    "UDP",
    false,
  ],
  ["a model provider", { address: "160.79.104.10" }, 443, "TCP", true],
  [
    "the gateway's port for people",
    { address: "10.244.0.5", namespace: "system", labels: gateway },
    8444,
    "TCP",
    false,
  ],
  ["the gateway's metrics", { address: "10.244.0.5", namespace: "system", labels: gateway }, 9090, "TCP", false],
  ["another release's gateway", { address: "10.244.0.6", namespace: "other", labels: gateway }, 8443, "TCP", false],
  [
    "a pod that calls itself the gateway",
    { address: "10.244.0.7", namespace: "team-a", labels: gateway },
    8443,
    "TCP",
    false,
  ],
  ["the kube-apiserver's Service", { address: "10.96.0.1" }, 443, "TCP", false],
  ["the kube-apiserver in a private network", { address: "192.168.10.4" }, 6443, "TCP", false],
  ["a cloud's metadata", { address: "169.254.169.254" }, 80, "TCP", false],
  ["a cloud's metadata by IPv6", { address: "fd00:ec2::254" }, 80, "TCP", false],
  ["the kubelet of its node", { address: "10.0.0.4" }, 10_250, "TCP", false],
  ["a Node with a public address", { address: "198.41.0.7" }, 10_250, "TCP", false],
  ["a sandbox beside it", { address: "10.244.0.8", namespace: "team-a", labels: sandbox }, 3000, "TCP", false],
  ["another tenant's pod", { address: "10.244.0.9", namespace: "team-b", labels: { app: "shop" } }, 80, "TCP", false],
  [
    "DNS's other ports",
    { address: "10.244.0.2", namespace: "kube-system", labels: { "k8s-app": "kube-dns" } },
    9153,
    "TCP",
    false,
  ],
])("an agent that tries %s", (_what, peer, port, protocol, want) => {
  expect(reaches(peer, port, protocol)).toBe(want);
});

it("is reached by no peer", () => {
  const incoming = policies.filter(({ spec }) => spec?.policyTypes?.includes("Ingress"));
  expect(incoming.map(({ spec }) => spec?.podSelector)).toEqual([
    { matchLabels: { "app.kubernetes.io/component": "sandbox" } },
  ]);
  expect(policies.flatMap(({ spec }) => spec?.ingress ?? [])).toEqual([]);
});
