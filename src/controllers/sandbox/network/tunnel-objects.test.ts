import { sessionAsOwner } from "../owner.ts";
import { describe, expect, it } from "vitest";

import { aSession } from "../../../../test/support/builders.ts";
import { SandboxClass } from "../../../api/v1alpha1/sandbox-class.ts";
import type { TunnelRoute } from "../../../api/v1alpha1/tunnel-route.ts";
import type { NetworkPolicy, Pod } from "../../../kube/core-resources.ts";
import { foreignPolicies } from "./foreign-policies.ts";
import { makeBasePolicy, makeClassPolicy } from "./network-policy.ts";
import { makeSandboxPod } from "../pod/pod.ts";
import { makeTunnelObjects, routedUrl, tunnelHost, type TunnelObject } from "./tunnel-objects.ts";

// No traffic is tried: this judges the policies as a network plugin that enforces them would.

const release = { name: "rw", namespace: "system" };
const through = { httpRoute: { parentRefs: [{ name: "public", namespace: "gateways" }] } };

function aClass(tunnelRoute: object) {
  const route = { domain: "tunnels.example.com", controllerNamespace: "gateways", ...tunnelRoute };
  return { metadata: { name: "standard" }, ...SandboxClass.schema.parse({ spec: { tunnelRoute: route } }) };
}

const session = { name: "upgrade", uid: "s1" };
const standard = aClass(through);
// The schema was just parsed with one.
const routeOf = ({ spec }: ReturnType<typeof aClass>): TunnelRoute => spec.tunnelRoute!;

function aPod(attempt = 1, of = session): Pod {
  const pod = makeSandboxPod({
    owner: sessionAsOwner(aSession({ metadata: { ...of, namespace: "team-a" } })),
    attempt,
    sandboxClass: standard,
    lifetimeMs: undefined,
    gatewayCa: "",
    environment: { release, image: "sandbox:1", gatewayUrl: "wss://gateway" },
  });
  return { ...pod, metadata: { ...pod.metadata, uid: `pod-${attempt}` } };
}

const objects = (ports: number[], of = standard): TunnelObject[] =>
  makeTunnelObjects(aPod(), session, ports, routeOf(of));
const kinds = (of: readonly TunnelObject[]): string[] => of.map(({ resource }) => resource.kind);

/** Whether one of a sandbox's policies lets a pod of that namespace in. */
function isLetIn(pod: Pod, namespace: string, port: number, protocol = "TCP"): boolean {
  const own = objects([3000, 8080]).filter(({ resource }) => resource.kind === "NetworkPolicy");
  const policies = [
    makeBasePolicy("team-a", release, 8443),
    makeClassPolicy("team-a", release, standard, []),
    ...own.map(({ object }) => object as NetworkPolicy),
  ];
  const selected = policies.filter(({ spec }) =>
    Object.entries(spec?.podSelector?.matchLabels ?? {}).every(
      ([name, value]) => pod.metadata.labels?.[name] === value,
    ),
  );
  return selected
    .flatMap(({ spec }) => spec?.ingress ?? [])
    .some(
      ({ from = [], ports = [] }) =>
        from.some(({ namespaceSelector, podSelector, ipBlock }) => {
          expect([podSelector, ipBlock]).toEqual([undefined, undefined]);
          return namespaceSelector?.matchLabels?.["kubernetes.io/metadata.name"] === namespace;
        }) && ports.some((open) => open.protocol === protocol && open.port === port && open.endPort === undefined),
    );
}

describe("the policy of tunnel ports", () => {
  it.each([
    { who: "the ingress controller at a port", namespace: "gateways", port: 3000, want: true },
    { who: "the ingress controller at the other port", namespace: "gateways", port: 8080, want: true },
    { who: "the ingress controller below a port", namespace: "gateways", port: 2999, want: false },
    { who: "the ingress controller above a port", namespace: "gateways", port: 3001, want: false },
    { who: "the ingress controller by UDP", namespace: "gateways", port: 3000, protocol: "UDP", want: false },
    { who: "a pod of the tenant", namespace: "team-a", port: 3000, want: false },
    { who: "a pod of another tenant", namespace: "team-b", port: 3000, want: false },
    { who: "the release itself", namespace: "system", port: 3000, want: false },
  ])("for $who: $want", ({ namespace, port, protocol, want }) => {
    expect(isLetIn(aPod(), namespace, port, protocol)).toBe(want);
  });

  it("opens no other attempt of the session, and no other session", () => {
    expect(isLetIn(aPod(2), "gateways", 3000)).toBe(false);
    expect(isLetIn(aPod(1, { name: "upgrade", uid: "s2" }), "gateways", 3000)).toBe(false);
  });

  it("is not warned of as another's, as any other one is", () => {
    const [own] = objects([3000]);
    const policy = own!.object as NetworkPolicy;
    const other = { ...policy, metadata: { ...policy.metadata, name: "other" } };
    expect(foreignPolicies([policy, other], aPod())).toEqual(["other"]);
  });
});

describe("what is made of a route", () => {
  it("is nothing without ports", () => {
    expect(objects([])).toEqual([]);
  });

  it("is an HTTPRoute for each of up to ten ports", () => {
    const ports = Array.from({ length: 10 }, (_, index) => 3000 + index);
    const made = objects(ports).filter(({ resource }) => resource.kind === "HTTPRoute");
    expect(made.map(({ object }) => (object as unknown as { spec: { hostnames: string[] } }).spec.hostnames)).toEqual(
      ports.map((port) => [tunnelHost(session, port, routeOf(standard))]),
    );
  });

  it("is an Ingress where the class names one, with TLS for https alone", () => {
    const ingress = { ingress: { className: "nginx", tlsSecretName: "wildcard" } };
    const [https, http] = ["https", "http"].map((scheme) => objects([3000], aClass({ ...ingress, scheme })));
    expect(kinds(https!)).toEqual(["NetworkPolicy", "Service", "Ingress"]);
    const host = tunnelHost(session, 3000, routeOf(standard));
    expect(https!.at(-1)!.object).toMatchObject({ spec: { tls: [{ hosts: [host], secretName: "wildcard" }] } });
    expect(http!.at(-1)!.object).not.toHaveProperty("spec.tls");
  });

  it("all goes with the pod, and none of it looks like what a namespace's sandboxes share", () => {
    for (const { object } of objects([3000])) {
      const [owner] = object.metadata.ownerReferences ?? [];
      expect(owner).toEqual({ apiVersion: "v1", kind: "Pod", name: aPod().metadata.name, uid: "pod-1" });
      expect(object.metadata.labels).not.toHaveProperty("app.kubernetes.io/component");
    }
  });
});

describe("the host of a port", () => {
  it("is a DNS label of its own below the domain, however long the session's name", () => {
    const [label, ...domain] = tunnelHost({ name: "a".repeat(63), uid: "s1" }, 65_535, routeOf(standard)).split(".");
    expect(label).toMatch(/^65535-a{20}-[a-z0-9]{8}$/);
    expect(domain.join(".")).toBe("tunnels.example.com");
  });

  it("differs between sessions of one name", () => {
    const route = routeOf(standard);
    expect(tunnelHost({ ...session, uid: "s2" }, 3000, route)).not.toBe(tunnelHost(session, 3000, route));
    expect(routedUrl(session, 3000, route)).toBe(`https://${tunnelHost(session, 3000, route)}/`);
  });
});
