import { expect } from "vitest";

import { type ApiAnswer, type ApiClient, connectApi } from "../../support/api-client.ts";
import { apiVersion, type Kind } from "../../../src/api/v1alpha1/index.ts";
import { untilAllowed } from "../../support/authorized.ts";
import { testApi, testCluster } from "../../support/cluster.ts";
import { collectionPath } from "./paths.ts";

/** What a user may do in one namespace. */
export interface Grant {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
  resourceNames?: string[];
}

/** User names of a release's processes that has the default name and namespace. */
export const processes = {
  controller: "system:serviceaccount:runwright-system:runwright-controller",
  gateway: "system:serviceaccount:runwright-system:runwright-gateway",
  ingress: "system:serviceaccount:runwright-system:runwright-ingress",
} as const;

/** Gives a user rights in a namespace, and returns when the API server's authorizer knows them. */
export async function grant(namespace: string, user: string, rules: Grant[]): Promise<void> {
  const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  const metadata = { generateName: "grant-" };
  const { body } = await testApi().send("POST", `${roles}/roles`, { metadata, rules });
  const { name } = (body as { metadata: { name: string } }).metadata;
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name };
  const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }];
  await testApi().send("POST", `${roles}/rolebindings`, { metadata, roleRef, subjects });
  await untilAllowed(user, rules, namespace);
}

const clients = new Map<string, ApiClient>();

/** Sends a request as another user; content types are those of the plain client. */
export function sendAs(user: string, ...request: Parameters<ApiClient["send"]>): Promise<ApiAnswer> {
  const client = clients.get(user) ?? connectApi(testCluster(), user);
  clients.set(user, client);
  return client.send(...request);
}

/** Tries to create an object; it is judged and not kept. */
export function tryToCreate(user: string, kind: Kind, namespace: string, object: object): Promise<ApiAnswer> {
  const path = `${collectionPath(kind, namespace)}?dryRun=All`;
  return sendAs(user, "POST", path, { apiVersion, kind: kind.kind, metadata: { name: "tried" }, ...object });
}

/** An answer that forbids with these words. */
export function refusal(message: string): object {
  return { status: 403, body: { message: expect.stringContaining(message) as unknown } };
}
