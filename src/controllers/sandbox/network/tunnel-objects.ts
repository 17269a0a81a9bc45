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
import { type KubeObject, type ObjectMeta, ownerReferenceTo, type Resource } from "../../../lib/resource.ts";
import { sessionLabel, type SessionName } from "../pod/names.ts";
import { present } from "../present.ts";
import { inNamespace } from "./network-policy.ts";

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
 * All that lets a class's ingress controller, and nothing else, reach these ports of one pod. The pod owns the objects, so
 * they go with it.
 */
export function makeTunnelObjects(
  pod: Pod,
  session: SessionName,
  ports: readonly number[],
  route: TunnelRoute,
): TunnelObject[] {
  if (ports.length === 0) return [];
  const { ingress, httpRoute, annotations } = route;
  const metadata = metadataOf(pod);
  const routed = { ...metadata, annotations };
  const opened = ports.map((port) => ({ port, host: tunnelHost(session, port, route) }));
  return [
    { resource: networkPolicies, object: makePolicy(pod, ports, route.controllerNamespace) },
    { resource: services, object: makeService(pod, ports) },
    ...(ingress ? [{ resource: ingresses, object: makeIngress(routed, opened, ingress, route.scheme) }] : []),
    ...opened.flatMap((port) =>
      httpRoute ? [{ resource: httpRoutes, object: makeHttpRoute(routed, port, httpRoute) }] : [],
    ),
  ];
}

interface OpenedPort {
  port: number;
  host: string;
}

function metadataOf({ metadata }: Pod): ObjectMeta {
  // Without the component, which marks what a namespace's sandboxes share.
  const own = Object.entries(metadata.labels ?? {}).filter(([name]) => name !== labels.component);
  return {
    name: tunnelObjectsName(metadata.name ?? ""),
    namespace: metadata.namespace,
    labels: Object.fromEntries(own),
    ownerReferences: [ownerReferenceTo(pods, { metadata }, false)],
  };
}

/** The pod and no other attempt of its session. */
function podLabels({ metadata }: Pod): Record<string, string> {
  const names = [labels.sessionUid, labels.attempt];
  return Object.fromEntries(names.map((name) => [name, metadata.labels?.[name] ?? ""]));
}

function makePolicy(pod: Pod, ports: readonly number[], controllerNamespace: string): NetworkPolicy {
  const from = [{ namespaceSelector: inNamespace(controllerNamespace) }];
  return {
    metadata: metadataOf(pod),
    spec: {
      podSelector: { matchLabels: podLabels(pod) },
      policyTypes: ["Ingress"],
      ingress: [{ from, ports: ports.map((port) => ({ protocol: "TCP", port })) }],
    },
  };
}

function makeService(pod: Pod, ports: readonly number[]): Service {
  return {
    metadata: metadataOf(pod),
    spec: {
      selector: podLabels(pod),
      ports: ports.map((port) => ({ name: `port-${port}`, port, protocol: "TCP" })),
    },
  };
}

function makeIngress(
  metadata: ObjectMeta,
  opened: readonly OpenedPort[],
  { className, tlsSecretName }: NonNullable<TunnelRoute["ingress"]>,
  scheme: TunnelRoute["scheme"],
): Ingress {
  const { name = "" } = metadata;
  const tls = { hosts: opened.map(({ host }) => host), ...present({ secretName: tlsSecretName }) };
  const pathsTo = (number: number) => {
    return [{ path: "/", pathType: "Prefix", backend: { service: { name, port: { number } } } }];
  };
  return {
    metadata,
    spec: {
      ingressClassName: className,
      ...(scheme === "https" ? { tls: [tls] } : {}),
      rules: opened.map(({ port, host }) => ({ host, http: { paths: pathsTo(port) } })),
    },
  };
}

/** One for each port: rules of a route do not differ by host. */
function makeHttpRoute(
  metadata: ObjectMeta,
  { port, host }: OpenedPort,
  { parentRefs }: NonNullable<TunnelRoute["httpRoute"]>,
): HttpRoute {
  const { name = "" } = metadata;
  return {
    metadata: { ...metadata, name: `${name}-${port}` },
    spec: { parentRefs, hostnames: [host], rules: [{ backendRefs: [{ name, port }] }] },
  };
}
