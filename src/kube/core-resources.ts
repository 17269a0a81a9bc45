import type {
  CoreV1Event,
  EventsV1Event,
  V1ConfigMap,
  V1CustomResourceDefinition,
  V1Deployment,
  V1Ingress,
  V1Lease,
  V1Namespace,
  V1NetworkPolicy,
  V1PersistentVolumeClaim,
  V1Pod,
  V1Secret,
  V1Service,
  V1ServiceAccount,
  V1SubjectAccessReview,
  V1TokenReview,
  AuthenticationV1TokenRequest,
} from "@kubernetes/client-node";
import type { KubeObject, Resource } from "../lib/resource.ts";
import type { WireObject } from "./wire.ts";

export type Pod = WireObject<V1Pod>;
export type Secret = WireObject<V1Secret>;
export type ConfigMap = WireObject<V1ConfigMap>;
export type Namespace = WireObject<V1Namespace>;
export type Service = WireObject<V1Service>;
export type ServiceAccount = WireObject<V1ServiceAccount>;
export type PersistentVolumeClaim = WireObject<V1PersistentVolumeClaim>;
export type CoreEvent = WireObject<CoreV1Event>;
export type Event = WireObject<EventsV1Event>;
export type Lease = WireObject<V1Lease>;
export type NetworkPolicy = WireObject<V1NetworkPolicy>;
export type Ingress = WireObject<V1Ingress>;
export type Deployment = WireObject<V1Deployment>;
export type CustomResourceDefinition = WireObject<V1CustomResourceDefinition>;
export type TokenReview = WireObject<V1TokenReview>;
export type TokenRequest = WireObject<AuthenticationV1TokenRequest>;
export type SubjectAccessReview = WireObject<V1SubjectAccessReview>;

/** Defines where a kind lives, for kinds that are not listed here. */
export function defineResource<T extends KubeObject>(resource: Omit<Resource<T>, "type">): Resource<T> {
  return resource;
}

const core = { group: "", version: "v1", namespaced: true };
const cluster = { ...core, namespaced: false };

export const pods = defineResource<Pod>({ ...core, kind: "Pod", plural: "pods" });
export const secrets = defineResource<Secret>({ ...core, kind: "Secret", plural: "secrets" });
export const configMaps = defineResource<ConfigMap>({ ...core, kind: "ConfigMap", plural: "configmaps" });
export const services = defineResource<Service>({ ...core, kind: "Service", plural: "services" });
export const serviceAccounts = defineResource<ServiceAccount>({
  ...core,
  kind: "ServiceAccount",
  plural: "serviceaccounts",
});
export const persistentVolumeClaims = defineResource<PersistentVolumeClaim>({
  ...core,
  kind: "PersistentVolumeClaim",
  plural: "persistentvolumeclaims",
});
export const coreEvents = defineResource<CoreEvent>({ ...core, kind: "Event", plural: "events" });
export const namespaces = defineResource<Namespace>({ ...cluster, kind: "Namespace", plural: "namespaces" });

export const events = defineResource<Event>({ ...core, group: "events.k8s.io", kind: "Event", plural: "events" });
export const leases = defineResource<Lease>({ ...core, group: "coordination.k8s.io", kind: "Lease", plural: "leases" });
export const networkPolicies = defineResource<NetworkPolicy>({
  ...core,
  group: "networking.k8s.io",
  kind: "NetworkPolicy",
  plural: "networkpolicies",
});
export const ingresses = defineResource<Ingress>({
  ...core,
  group: "networking.k8s.io",
  kind: "Ingress",
  plural: "ingresses",
});
export const deployments = defineResource<Deployment>({
  ...core,
  group: "apps",
  kind: "Deployment",
  plural: "deployments",
});
export const customResourceDefinitions = defineResource<CustomResourceDefinition>({
  ...cluster,
  group: "apiextensions.k8s.io",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
});

/** Asked by create; the answer is in the status of what comes back. */
export const tokenReviews = defineResource<TokenReview>({
  ...cluster,
  group: "authentication.k8s.io",
  kind: "TokenReview",
  plural: "tokenreviews",
});
/** Only as the `token` subresource of a ServiceAccount. */
export const tokenRequests = defineResource<TokenRequest>({
  ...core,
  group: "authentication.k8s.io",
  kind: "TokenRequest",
  plural: "tokenrequests",
});
/** Asked by create; the answer is in the status of what comes back. */
export const subjectAccessReviews = defineResource<SubjectAccessReview>({
  ...cluster,
  group: "authorization.k8s.io",
  kind: "SubjectAccessReview",
  plural: "subjectaccessreviews",
});
