import type { ControlPlane } from "../../hack/cluster/cluster.ts";
import type { Progress } from "../../hack/lib/progress.ts";
import { Automation, group, SandboxClass } from "../../src/api/v1alpha1/index.ts";
import { roleBindings, roles } from "../../src/controllers/sandbox/tenant/service-account.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { serviceAccounts } from "../../src/kube/core-resources.ts";
import { type ApiClient, connectApi } from "../../test/support/api-client.ts";
import { anAutomation, aSandboxClass } from "../../test/support/builders.ts";
import { startEquippedControlPlane } from "../../test/support/control-plane.setup.ts";
import { namespaces } from "../../test/support/core-resources.ts";
import { clientOf } from "../../test/support/kube.ts";

/** The same on every stage, so that what was recorded on one can be replayed on another. */
export const release = {
  name: "runwright",
  namespace: "system",
  keysNamespace: "keys",
  sessionsNamespace: "sessions",
  tokensNamespace: "tokens",
} as const;
export const tenant = "tenant";
/** Runs of one Automation are begun one after the other, so that there are several. */
export const automationNames: readonly string[] = Array.from({ length: 8 }, (_, index) => `fix-${index}`);

/** A control plane of its own with a tenant whose Automations may start as much as they want. */
export interface Stage {
  plane: ControlPlane;
  client: KubeClient;
  api: ApiClient;
  automations: readonly Automation[];
  close(): Promise<void>;
}

const account = "runner";
/** The most that may be kept, so that no round prunes. */
const history = { successfulLimit: 1_000, failedLimit: 1_000, skippedLimit: 1_000 } as Automation["spec"]["history"];

export async function openStage(progress: Progress): Promise<Stage> {
  const plane = await startEquippedControlPlane({ progress, policies: "of any release" });
  const connection = clientOf({ file: plane.kubeconfig });
  const api = connectApi(plane);
  const close = async (): Promise<void> => {
    await api.close();
    await connection.close();
    await plane.stop();
  };
  try {
    // Deletes the Leases of sandboxes that are gone.
    await plane.startControllerManager();
    return { plane, client: connection.client, api, automations: await makeTenant(connection.client), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function makeTenant(client: KubeClient): Promise<Automation[]> {
  const { namespace, keysNamespace, sessionsNamespace, tokensNamespace } = release;
  for (const name of [tenant, namespace, keysNamespace, sessionsNamespace, tokensNamespace])
    await client.create(namespaces, { metadata: { name } });
  await client.create(SandboxClass, aSandboxClass("standard", { default: true, maxSandboxes: 100_000 }));
  const metadata = { name: account, namespace: tenant };
  const rule = { apiGroups: [group], resources: ["sandboxclasses"], verbs: ["use"], resourceNames: ["standard"] };
  await client.create(serviceAccounts, { metadata });
  await client.create(roles, { metadata, rules: [rule] });
  await client.create(roleBindings, {
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: account },
    subjects: [{ kind: "ServiceAccount", ...metadata }],
  });
  const make = (name: string): Promise<Automation> =>
    client.create(Automation, anAutomation({ metadata: { name, namespace: tenant }, spec: { history } }));
  return Promise.all(automationNames.map(make));
}
