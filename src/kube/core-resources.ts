import type {
  AuthenticationV1TokenRequest,
  EventsV1Event,
  V1ConfigMap,
  V1EndpointSlice,
  V1Ingress,
  V1Lease,
  V1NetworkPolicy,
  V1Node,
  V1Pod,
  V1Secret,
  V1SelfSubjectReview,
  V1Service,
  V1ServiceAccount,
  V1SubjectAccessReview,
  V1TokenReview,
} from "@kubernetes/client-node";
import type { KubeObject, Resource } from "../lib/resource.ts";
import type { WireObject } from "./wire.ts";

export type Pod = WireObject<V1Pod>;
export type Secret = WireObject<V1Secret>;
export type ConfigMap = WireObject<V1ConfigMap>;
export type Service = WireObject<V1Service>;
export type ServiceAccount = WireObject<V1ServiceAccount>;
export type Event = WireObject<EventsV1Event>;
export type Lease = WireObject<V1Lease>;
export type NetworkPolicy = WireObject<V1NetworkPolicy>;
export type Node = WireObject<V1Node>;
export type EndpointSlice = WireObject<V1EndpointSlice>;
export type Ingress = WireObject<V1Ingress>;
export type TokenReview = WireObject<V1TokenReview>;
/** Only as the `token` subresource of a ServiceAccount. */
export type TokenRequest = WireObject<AuthenticationV1TokenRequest>;
export type SelfSubjectReview = WireObject<V1SelfSubjectReview>;
export type SubjectAccessReview = WireObject<V1SubjectAccessReview>;

/** Defines where a kind lives, for kinds that are not listed here. */
export function defineResource<T extends KubeObject>(resource: Omit<Resource<T>, "type">): Resource<T> {
  return resource;
}

/** A kind of the API server itself, in version `v1` of its group. */
export function builtIn<T extends KubeObject>(
  group: string,
  kind: string,
  plural: string,
  namespaced = true,
): Resource<T> {
  return { group, version: "v1", kind, plural, namespaced };
}

export const pods = builtIn<Pod>("", "Pod", "pods");
export const secrets = builtIn<Secret>("", "Secret", "secrets");
export const configMaps = builtIn<ConfigMap>("", "ConfigMap", "configmaps");
export const services = builtIn<Service>("", "Service", "services");
export const serviceAccounts = builtIn<ServiceAccount>("", "ServiceAccount", "serviceaccounts");
export const events = builtIn<Event>("events.k8s.io", "Event", "events");
export const leases = builtIn<Lease>("coordination.k8s.io", "Lease", "leases");
export const networkPolicies = builtIn<NetworkPolicy>("networking.k8s.io", "NetworkPolicy", "networkpolicies");
export const nodes = builtIn<Node>("", "Node", "nodes", false);
export const endpointSlices = builtIn<EndpointSlice>("discovery.k8s.io", "EndpointSlice", "endpointslices");
export const ingresses = builtIn<Ingress>("networking.k8s.io", "Ingress", "ingresses");

/** Reviews are asked by create; the answer is in the status of what comes back. */
export const tokenReviews = builtIn<TokenReview>("authentication.k8s.io", "TokenReview", "tokenreviews", false);
export const selfSubjectReviews = builtIn<SelfSubjectReview>(
  "authentication.k8s.io",
  "SelfSubjectReview",
  "selfsubjectreviews",
  false,
);
export const subjectAccessReviews = builtIn<SubjectAccessReview>(
  "authorization.k8s.io",
  "SubjectAccessReview",
  "subjectaccessreviews",
  false,
);
