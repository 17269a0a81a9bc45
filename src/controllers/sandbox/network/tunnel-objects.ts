import { labels } from "../../../api/v1alpha1/names.ts";
import type { TunnelRoute } from "../../../api/v1alpha1/tunnel-route.ts";
import {
  defineResource,
  type Ingress,
  ingresses,
  type NetworkPolicy,
  networkPolicies,
  type Pod,
  pods,
  type Service,
  services,
} from "../../../kube/core-resources.ts";
import { type KubeObject, ownerReferenceTo, type Resource } from "../../../lib/resource.ts";
import { sessionLabel, type SessionName } from "../pod/names.ts";

/** As much of the Gateway API's kind as is written here. */
export interface HttpRoute extends KubeObject {
  spec: {
    parentRefs: readonly object[];
    hostnames: readonly string[];
    rules: readonly { backendRefs: readonly { name: string; port: number }[] }[];
  };
}

export const httpRoutes = defineResource<HttpRoute>({
  group: "gateway.networking.k8s.io",
  version: "v1",
  kind: "HTTPRoute",
  plural: "httproutes",
  namespaced: true,
});

/** An object that opens tunnel ports of a pod, to be created as it is. */
export interface TunnelObject {
  resource: Resource<KubeObject>;
  object: KubeObject;
}

/** The session's host of a port; no other session of the cluster has it. */
export function tunnelHost(session: SessionName, port: number, { domain }: Pick<TunnelRoute, "domain">): string {
  return `${port}-${sessionLabel(session)}.${domain}`;
}

/** Where people have a port that is routed. */
export function routedUrl(session: SessionName, port: number, route: TunnelRoute): string {
  return `${route.scheme}://${tunnelHost(session, port, route)}/`;
}

/** Name of a pod's Service, policy and Ingress; its HTTPRoutes have the port behind it. */
export function tunnelObjectsName(podName: string): string {
  return `tunnel-${podName}`;
}

/**
 * All that lets a class's ingress controller reach these ports of one pod, and nobody else reach anything. The pod owns
 * them, so they go with it.
 */
export function makeTunnelObjects(
  pod: Pod,
  session: SessionName,
  ports: readonly number[],
  route: TunnelRoute,
): TunnelObject[] {
  if (ports.length === 0) return [];
  const of = { pod, session, ports, route };
  return [
    { resource: networkPolicies, object: makePolicy(of) },
    { resource: services, object: makeService(of) },
    ...(route.ingress ? [{ resource: ingresses, object: makeIngress(of, route.ingress) }] : []),
    ...ports.flatMap((port) =>
      route.httpRoute ? [{ resource: httpRoutes, object: makeHttpRoute(of, port, route.httpRoute) }] : [],
    ),
  ];
}

interface Source {
  pod: Pod;
  session: SessionName;
  ports: readonly number[];
  route: TunnelRoute;
}

function metadataOf({ metadata }: Pod, suffix = ""): KubeObject["metadata"] {
  const own = Object.entries(metadata.labels ?? {}).filter(([name]) => name !== labels.component);
  return {
    name: `${tunnelObjectsName(metadata.name ?? "")}${suffix}`,
    namespace: metadata.namespace,
    // Without the component, which marks what a namespace's sandboxes share.
    labels: Object.fromEntries(own),
    ownerReferences: [ownerReferenceTo(pods, { metadata }, false)],
  };
}

/** The pod and no other attempt of its session. */
function podLabels({ metadata }: Pod): Record<string, string> {
  const names = [labels.sessionUid, labels.attempt];
  return Object.fromEntries(names.map((name) => [name, metadata.labels?.[name] ?? ""]));
}

function makePolicy({ pod, ports, route }: Source): NetworkPolicy {
  const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": route.controllerNamespace } };
  return {
    metadata: metadataOf(pod),
    spec: {
      podSelector: { matchLabels: podLabels(pod) },
      policyTypes: ["Ingress"],
      ingress: [{ from: [{ namespaceSelector }], ports: ports.map((port) => ({ protocol: "TCP", port })) }],
    },
  };
}

function makeService({ pod, ports }: Source): Service {
  return {
    metadata: metadataOf(pod),
    spec: {
      selector: podLabels(pod),
      ports: ports.map((port) => ({ name: portName(port), port, protocol: "TCP" })),
    },
  };
}

function makeIngress(
  { pod, session, ports, route }: Source,
  { className, tlsSecretName }: NonNullable<TunnelRoute["ingress"]>,
): Ingress {
  const service = { name: tunnelObjectsName(pod.metadata.name ?? "") };
  const hosts = ports.map((port) => ({ port, host: tunnelHost(session, port, route) }));
  const tls = {
    hosts: hosts.map(({ host }) => host),
    ...(tlsSecretName === undefined ? {} : { secretName: tlsSecretName }),
  };
  return {
    metadata: { ...metadataOf(pod), annotations: route.annotations },
    spec: {
      ingressClassName: className,
      ...(route.scheme === "https" ? { tls: [tls] } : {}),
      rules: hosts.map(({ port, host }) => ({
        host,
        http: {
          paths: [{ path: "/", pathType: "Prefix", backend: { service: { ...service, port: { number: port } } } }],
        },
      })),
    },
  };
}

/** One for each port: rules of a route do not differ by host. */
function makeHttpRoute(
  { pod, session, route }: Source,
  port: number,
  { parentRefs }: NonNullable<TunnelRoute["httpRoute"]>,
): HttpRoute {
  return {
    metadata: { ...metadataOf(pod, `-${port}`), annotations: route.annotations },
    spec: {
      parentRefs,
      hostnames: [tunnelHost(session, port, route)],
      rules: [{ backendRefs: [{ name: tunnelObjectsName(pod.metadata.name ?? ""), port }] }],
    },
  };
}

function portName(port: number): string {
  return `port-${port}`;
}
