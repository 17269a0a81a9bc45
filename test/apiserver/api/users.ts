import { setTimeout as delay } from "node:timers/promises";

import { Agent, request } from "undici";

import type { ApiAnswer } from "../../support/api-client.ts";
import { testApi, testCluster } from "../../support/cluster.ts";

/** What a user may do in one namespace. */
export interface Grant {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
  resourceNames?: string[];
}

const limitMs = 10_000;

/** Gives a user rights in a namespace, and returns when the API server's authorizer knows them. */
export async function grant(namespace: string, user: string, rules: Grant[]): Promise<void> {
  const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  const metadata = { generateName: "grant-" };
  const { body } = await testApi().send("POST", `${roles}/roles`, { metadata, rules });
  const { name } = (body as { metadata: { name: string } }).metadata;
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name };
  const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }];
  await testApi().send("POST", `${roles}/rolebindings`, { metadata, roleRef, subjects });
  const deadline = performance.now() + limitMs;
  for (const rule of rules) {
    while (!(await isAllowed(namespace, user, rule))) {
      if (performance.now() > deadline) throw new Error(`${user} has not got ${JSON.stringify(rule)} in time`);
      await delay(20);
    }
  }
}

async function isAllowed(namespace: string, user: string, rule: Grant): Promise<boolean> {
  const resourceAttributes = {
    namespace,
    group: rule.apiGroups[0],
    resource: rule.resources[0],
    verb: rule.verbs[0],
    name: rule.resourceNames?.[0],
  };
  const { body } = await testApi().send("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    spec: { user, resourceAttributes },
  });
  return (body as { status: { allowed: boolean } }).status.allowed;
}

let agent: Agent | undefined;

/** Sends a request as another user; ends of `/status` and merge patches go as for the plain client. */
export async function sendAs(user: string, method: "POST" | "PATCH", path: string, object: object): Promise<ApiAnswer> {
  const { server, certificateAuthority, clientCertificate, clientKey } = testCluster();
  agent ??= new Agent({ connect: { ca: certificateAuthority, cert: clientCertificate, key: clientKey } });
  const { statusCode, body } = await request(`${server}${path}`, {
    dispatcher: agent,
    method,
    headers: {
      "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
      "impersonate-user": user,
    },
    body: JSON.stringify(object),
  });
  return { status: statusCode, body: await body.json() };
}
