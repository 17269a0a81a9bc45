import { apiVersionOf, type KubeObject, type Resource } from "../lib/resource.ts";

/** Points at a stored object from an Event. */
export interface ObjectReference {
  apiVersion: string;
  kind: string;
  name: string;
  namespace?: string | undefined;
  uid?: string | undefined;
  resourceVersion?: string | undefined;
}

export function referenceTo(resource: Resource<KubeObject>, { metadata }: KubeObject): ObjectReference {
  const { name = "", namespace, uid, resourceVersion } = metadata;
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, name, namespace, uid, resourceVersion };
}
