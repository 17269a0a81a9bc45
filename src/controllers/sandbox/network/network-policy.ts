import { labels, sandboxComponent } from "../../../api/v1alpha1/names.ts";
import type { Egress, SandboxClass } from "../../../api/v1alpha1/sandbox-class.ts";
import type { NetworkPolicy } from "../../../kube/core-resources.ts";
import { nonPublicIpv4, nonPublicIpv6, publicIpv6 } from "./address-ranges.ts";
import { type Release, sandboxLabels } from "../labels.ts";

type PolicySpec = NonNullable<NetworkPolicy["spec"]>;
type EgressRule = NonNullable<PolicySpec["egress"]>[number];
type Ports = NonNullable<EgressRule["ports"]>;

/** Name of the policy that all sandboxes of a namespace share. */
export const basePolicyName = "runwright-sandbox";

/** Name of what one class adds to {@link basePolicyName}. */
export function classPolicyName(className: string): string {
  return `${basePolicyName}-${className}`;
}

const dnsPorts: Ports = [
  { protocol: "UDP", port: 53 },
  { protocol: "TCP", port: 53 },
];

/** Where pods of the cluster answer; plugins judge by the pod's own port, which is another one in OpenShift. */
const clusterDns: EgressRule = {
  to: [
    { namespaceSelector: inNamespace("kube-system"), podSelector: { matchLabels: { "k8s-app": "kube-dns" } } },
    {
      namespaceSelector: inNamespace("openshift-dns"),
      podSelector: { matchLabels: { "dns.operator.openshift.io/daemonset-dns": "default" } },
    },
  ],
  ports: [...dnsPorts, { protocol: "UDP", port: 5353 }, { protocol: "TCP", port: 5353 }],
};

/** Nothing comes in; out goes the runtime's connection to the gateway of this release. */
export function makeBasePolicy(namespace: string, release: Release, gatewayPort: number): NetworkPolicy {
  const gateway = {
    namespaceSelector: inNamespace(release.namespace),
    podSelector: {
      matchLabels: {
        "app.kubernetes.io/name": "runwright",
        "app.kubernetes.io/instance": release.name,
        [labels.component]: "gateway",
      },
    },
  };
  return {
    metadata: { name: basePolicyName, namespace, labels: sandboxLabels(release) },
    spec: {
      podSelector: { matchLabels: { [labels.component]: sandboxComponent } },
      policyTypes: ["Ingress", "Egress"],
      egress: [{ to: [gateway], ports: [{ protocol: "TCP", port: gatewayPort }] }],
    },
  };
}

/** What the sandboxes of one class may reach besides; policies add up. The internet is all but `clusterRanges` and what is private. */
export function makeClassPolicy(
  namespace: string,
  release: Release,
  sandboxClass: SandboxClass,
  clusterRanges: readonly string[],
): NetworkPolicy {
  const { name = "" } = sandboxClass.metadata;
  const egress = makeEgress(sandboxClass.spec.egress, clusterRanges);
  return {
    metadata: {
      name: classPolicyName(name),
      namespace,
      labels: { ...sandboxLabels(release), [labels.sandboxClass]: name },
    },
    spec: {
      podSelector: { matchLabels: { [labels.component]: sandboxComponent, [labels.sandboxClass]: name } },
      policyTypes: ["Egress"],
      // The API server drops empty lists, and what comes back must equal what was sent.
      ...(egress.length === 0 ? {} : { egress }),
    },
  };
}

function makeEgress({ dns, internet, allow, dnsCIDRs }: Egress, clusterRanges: readonly string[]): EgressRule[] {
  const allowed = allow.map(({ cidr, ports = [] }) => ({
    to: [{ ipBlock: { cidr } }],
    // No ports means all of them, and none of another protocol.
    ports: ports.length === 0 ? [allTcp] : ports.map((port) => ({ protocol: "TCP", port })),
  }));
  return [
    ...(dns ? [clusterDns] : []),
    ...(dnsCIDRs.length === 0 ? [] : [{ to: dnsCIDRs.map((cidr) => ({ ipBlock: { cidr } })), ports: dnsPorts }]),
    ...(internet ? [{ to: internetBlocks(clusterRanges) }] : []),
    ...allowed,
  ];
}

const allTcp = { protocol: "TCP", port: 1, endPort: 65_535 };

function internetBlocks(clusterRanges: readonly string[]): NonNullable<EgressRule["to"]> {
  const ipv6 = clusterRanges.filter((range) => range.includes(":"));
  const ipv4 = clusterRanges.filter((range) => !range.includes(":"));
  return [
    { ipBlock: { cidr: "0.0.0.0/0", except: [...nonPublicIpv4, ...ipv4] } },
    { ipBlock: { cidr: publicIpv6, except: [...nonPublicIpv6, ...ipv6] } },
  ];
}

/** Selects a namespace by its name. */
export function inNamespace(name: string): { matchLabels: Record<string, string> } {
  return { matchLabels: { "kubernetes.io/metadata.name": name } };
}
