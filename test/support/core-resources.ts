import type {
  CoreV1Event,
  V1CustomResourceDefinition,
  V1Deployment,
  V1Namespace,
  V1PersistentVolumeClaim,
} from "@kubernetes/client-node";
import { builtIn, type TokenRequest } from "../../src/kube/core-resources.ts";
import type { WireObject } from "../../src/kube/wire.ts";

/** Kinds of the API server that only tests read or write. */
export type Namespace = WireObject<V1Namespace>;
export type PersistentVolumeClaim = WireObject<V1PersistentVolumeClaim>;
export type Deployment = WireObject<V1Deployment>;
type CoreEvent = WireObject<CoreV1Event>;
type CustomResourceDefinition = WireObject<V1CustomResourceDefinition>;

export const namespaces = builtIn<Namespace>("", "Namespace", "namespaces", false);
export const persistentVolumeClaims = builtIn<PersistentVolumeClaim>(
  "",
  "PersistentVolumeClaim",
  "persistentvolumeclaims",
);
export const coreEvents = builtIn<CoreEvent>("", "Event", "events");
export const deployments = builtIn<Deployment>("apps", "Deployment", "deployments");
export const customResourceDefinitions = builtIn<CustomResourceDefinition>(
  "apiextensions.k8s.io",
  "CustomResourceDefinition",
  "customresourcedefinitions",
  false,
);
/** Only as the `token` subresource of a ServiceAccount. */
export const tokenRequests = builtIn<TokenRequest>("authentication.k8s.io", "TokenRequest", "tokenrequests");
