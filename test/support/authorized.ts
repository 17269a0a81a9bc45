import { setTimeout as delay } from "node:timers/promises";

import { testApi } from "./cluster.ts";

/** A rule of a role. */
export interface Rule {
  apiGroups: readonly string[];
  resources: readonly string[];
  verbs: readonly string[];
  resourceNames?: readonly string[];
}

const limitMs = 120_000;

/** The user name of a ServiceAccount. */
export function serviceAccountUser(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/**
 * Returns when the API server's authorizer knows that a user has these rights in a namespace, or everywhere without
 * one: it learns of roles by a watch, some time after they were stored.
 */
export async function untilAllowed(user: string, rules: readonly Rule[], namespace?: string): Promise<void> {
  const deadline = performance.now() + limitMs;
  for (const rule of rules) {
    while (!(await isAllowed(user, rule, namespace))) {
      if (performance.now() > deadline) throw new Error(`${user} has not got ${JSON.stringify(rule)} in time`);
      await delay(20);
    }
  }
}

async function isAllowed(user: string, rule: Rule, namespace: string | undefined): Promise<boolean> {
  const [resource, subresource] = rule.resources[0]!.split("/");
  const resourceAttributes = {
    namespace,
    group: rule.apiGroups[0],
    resource,
    subresource,
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
