import { expect, it } from "vitest";
import { SandboxClass } from "../../../api/v1alpha1/sandbox-class.ts";
import { covers } from "./fake-network.ts";
import { makeBasePolicy, makeClassPolicy } from "./network-policy.ts";

const release = { name: "rw", namespace: "system" };

function rulesOf(
  egress: object,
  clusterRanges: readonly string[] = [],
): NonNullable<ReturnType<typeof makeClassPolicy>["spec"]>["egress"] {
  const sandboxClass = { metadata: { name: "standard" }, ...SandboxClass.schema.parse({ spec: { egress } }) };
  return makeClassPolicy("team-a", release, sandboxClass, clusterRanges).spec!.egress;
}

/** Judges as a network plugin does: one rule that has the address and the port is enough. */
function allows(egress: object, address: string, port = 443, protocol = "TCP"): boolean {
  return (rulesOf(egress) ?? []).some(({ to = [], ports }) => {
    const reached = to.some(
      ({ ipBlock }) =>
        ipBlock !== undefined &&
        covers(ipBlock.cidr, address) &&
        !(ipBlock.except ?? []).some((range) => covers(range, address)),
    );
    const opened = (ports ?? []).some(
      (one) => one.protocol === protocol && Number(one.port) <= port && port <= Number(one.endPort ?? one.port),
    );
    return reached && (ports === undefined || opened);
  });
}

it.each(["1.1.1.1", "140.82.121.4", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0"])(
  "lets a sandbox reach %s on the internet",
  (address) => expect(allows({}, address)).toBe(true),
);
it.each(["2606:4700::1111", "2a00:1450:4001::200e", "2001:4860:4860::8888"])(
  "lets a sandbox reach %s on the internet of version 6",
  (address) => expect(allows({}, address)).toBe(true),
);
it.each([
  ["private", "10.96.0.1"],
  ["private", "172.16.0.1"],
  ["private", "172.31.255.255"],
  ["private", "192.168.1.1"],
  ["shared", "100.64.0.1"],
  ["shared", "100.127.255.255"],
  ["a cloud's metadata in the shared range", "100.100.100.200"],
  ["loopback", "127.0.0.1"],
  ["link-local, a cloud's metadata", "169.254.169.254"],
  ["a cloud's metadata among protocol assignments", "192.0.0.192"],
  ["a cloud's metadata at a public address", "168.63.129.16"],
  ["this network", "0.0.0.0"],
  ["multicast", "224.0.0.1"],
  ["broadcast", "255.255.255.255"],
  ["loopback", "::1"],
  ["link-local", "fe80::1"],
  ["unique local", "fd12:3456::1"],
  ["a cloud's metadata", "fd00:ec2::254"],
  ["multicast", "ff02::1"],
  ["translated private", "64:ff9b::a00:1"],
  ["6to4 of private", "2002:a00:1::1"],
  ["Teredo", "2001:0:4136:e378::1"],
  ["documentation", "2001:db8::1"],
])("keeps a sandbox from %s, %s", (_name, address) => expect(allows({}, address)).toBe(false));

it("takes the cluster's own ranges out of the internet, each from that of its version, and leaves what the class allows", () => {
  const ranges = ["198.41.0.0/24", "2a00:1450::/64"];
  const allow = [{ cidr: "198.41.0.0/24", ports: [8443] }];
  const [, internet, allowed] = rulesOf({ allow }, ranges) ?? [];
  const [ipv4, ipv6] = internet!.to!.map(({ ipBlock }) => ipBlock!);
  expect(ipv4!.except).toEqual(expect.arrayContaining(["10.0.0.0/8", "198.41.0.0/24"]));
  expect(ipv4!.except).not.toContain("2a00:1450::/64");
  expect(ipv6!.except).toEqual(expect.arrayContaining(["2001:db8::/32", "2a00:1450::/64"]));
  expect(ipv6!.except).not.toContain("198.41.0.0/24");
  expect(allowed!.to).toEqual([{ ipBlock: { cidr: "198.41.0.0/24" } }]);
});

it("reaches only the cluster's DNS where the class turns the internet off", () => {
  expect(rulesOf({ internet: false })).toEqual([
    {
      to: [
        {
          namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } },
          podSelector: { matchLabels: { "k8s-app": "kube-dns" } },
        },
        {
          namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "openshift-dns" } },
          podSelector: { matchLabels: { "dns.operator.openshift.io/daemonset-dns": "default" } },
        },
      ],
      ports: [
        { protocol: "UDP", port: 53 },
        { protocol: "TCP", port: 53 },
        { protocol: "UDP", port: 5353 },
        { protocol: "TCP", port: 5353 },
      ],
    },
  ]);
});

it("reaches nothing where it turns DNS off too, and the internet's addresses where it turns DNS off alone", () => {
  expect(rulesOf({ internet: false, dns: false })).toBeUndefined();
  expect(rulesOf({ dns: false })?.flatMap(({ to = [] }) => to.filter(({ podSelector }) => podSelector))).toEqual([]);
  expect(allows({ dns: false }, "1.1.1.1")).toBe(true);
});

it.each([
  ["an address in the range on its port", "10.1.2.3", 8443, "TCP", true],
  ["another port", "10.1.2.3", 22, "TCP", false],
  ["another protocol", "10.1.2.3", 8443, "UDP", false],
  ["an address beside the range", "10.1.3.3", 8443, "TCP", false],
  ["all TCP ports where none is named, the first", "10.9.0.1", 1, "TCP", true],
  ["all TCP ports where none is named, the last", "10.9.0.1", 65_535, "TCP", true],
  ["the DNS server by UDP", "169.254.20.10", 53, "UDP", true],
  ["the DNS server by another port", "169.254.20.10", 54, "UDP", false],
])("judges what the class allows besides: %s", (_name, address, port, protocol, want) => {
  const egress = {
    internet: false,
    allow: [{ cidr: "10.1.2.0/24", ports: [8443] }, { cidr: "10.9.0.0/16" }],
    dnsCIDRs: ["169.254.20.10/32"],
  };
  expect(allows(egress, address, port, protocol)).toBe(want);
});

it("lets nothing in, and out only this release's gateway by default", () => {
  expect(makeBasePolicy("team-a", release, 8443).spec).toEqual({
    podSelector: { matchLabels: { "app.kubernetes.io/component": "sandbox" } },
    policyTypes: ["Ingress", "Egress"],
    egress: [
      {
        to: [
          {
            namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "system" } },
            podSelector: {
              matchLabels: {
                "app.kubernetes.io/name": "runwright",
                "app.kubernetes.io/instance": "rw",
                "app.kubernetes.io/component": "gateway",
              },
            },
          },
        ],
        ports: [{ protocol: "TCP", port: 8443 }],
      },
    ],
  });
});
