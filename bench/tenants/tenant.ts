import { group, Prompt, SandboxClass, Session } from "../../src/api/v1alpha1/index.ts";
import { roleBindings, roles } from "../../src/controllers/sandbox/tenant/service-account.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { serviceAccounts } from "../../src/kube/core-resources.ts";
import { aPrompt, aSandboxClass, aSession } from "../../test/support/builders.ts";
import { tokenRequests } from "../../test/support/core-resources.ts";
import { newNamespace } from "../../test/support/kube.ts";

/** The ServiceAccount of both tenants' sandboxes and people. */
export const account = "runner";
/** A port of every sandbox that people reach by a tunnel. */
export const tunnelPort = 3000;

/** The class of both tenants: one of them may have half of the places. */
export async function makeClass(client: KubeClient): Promise<void> {
  const places = { maxSandboxes: 400, maxSandboxesPerNamespace: 200 };
  await client.create(SandboxClass, aSandboxClass("standard", { default: true, ...places }));
}

/** A namespace whose account may use the class and, through the gateway, its own sessions. */
export async function makeTenant(client: KubeClient, prefix: string): Promise<string> {
  const namespace = await newNamespace(client, prefix);
  const metadata = { name: account, namespace };
  await client.create(serviceAccounts, { metadata });
  await client.create(roles, {
    metadata,
    rules: [
      { apiGroups: [group], resources: ["sandboxclasses"], verbs: ["use"], resourceNames: ["standard"] },
      { apiGroups: [group], resources: ["sessions", "sessions/log"], verbs: ["get", "list"] },
      { apiGroups: [group], resources: ["sessions/tunnel", "prompts"], verbs: ["create"] },
    ],
  });
  await client.create(roleBindings, {
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: account },
    subjects: [{ kind: "ServiceAccount", ...metadata }],
  });
  return namespace;
}

/** A token of the tenant's account, for a pod's audience or for the API server. */
export async function issueToken(
  client: KubeClient,
  namespace: string,
  spec: { audiences?: string[]; boundObjectRef?: object } = {},
): Promise<string> {
  const body = { metadata: {}, apiVersion: "authentication.k8s.io/v1", kind: tokenRequests.kind, spec };
  const issued = await client.createSubresource(
    serviceAccounts,
    { namespace, name: account },
    { subresource: "token", body },
  );
  return (issued as unknown as { status: { token: string } }).status.token;
}

/** Creates a Session and its first Prompt, for which a sandbox starts. */
export async function startSession(
  client: KubeClient,
  key: { namespace: string; name: string },
  idleTimeoutSeconds: number,
): Promise<Session> {
  const spec = { serviceAccountName: account, idleTimeoutSeconds, settings: { tunnelPorts: [tunnelPort] } };
  const session = await client.create(Session, aSession({ metadata: key, spec }));
  await prompt(client, key, `${key.name}-1`);
  return session;
}

export async function prompt(
  client: KubeClient,
  { namespace, name: session }: { namespace: string; name: string },
  name: string,
): Promise<void> {
  await client.create(Prompt, aPrompt({ metadata: { namespace, name }, spec: { sessionRef: { name: session } } }));
}
