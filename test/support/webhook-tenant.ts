import { randomBytes } from "node:crypto";

import {
  type AutomationSpec,
  group,
  keyHashDataKey,
  keySecretName,
  labels,
  SandboxClass,
  Automation,
} from "../../src/api/v1alpha1/index.ts";
import { roleBindings, roles } from "../../src/controllers/sandbox/tenant/service-account.ts";
import { hashApiKey } from "../../src/domain/keys.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { secrets, serviceAccounts } from "../../src/kube/core-resources.ts";
import { anAutomation, aSandboxClass } from "./builders.ts";

export interface WebhookTenantOptions {
  namespace: string;
  keysNamespace: string;
  /** Of a class that is made for it. */
  className: string;
  classSpec?: Parameters<typeof aSandboxClass>[1];
  history?: AutomationSpec["history"];
}

/** Makes an account `runner` that may use a class of its own, and a webhook Automation `fix`; gives its key. */
export async function makeWebhookTenant(client: KubeClient, options: WebhookTenantOptions): Promise<string> {
  const { namespace, className, classSpec, history } = options;
  const metadata = { name: "runner", namespace };
  const rule = { apiGroups: [group], resources: ["sandboxclasses"], verbs: ["use"], resourceNames: [className] };
  await client.create(SandboxClass, aSandboxClass(className, { default: true, ...classSpec }));
  await client.create(serviceAccounts, { metadata });
  await client.create(roles, { metadata, rules: [rule] });
  await client.create(roleBindings, {
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "runner" },
    subjects: [{ kind: "ServiceAccount", name: "runner", namespace }],
  });
  const session = { sandboxClassName: className } as AutomationSpec["session"];
  const spec = { session, ...(history && { history }) };
  const automation = await client.create(Automation, anAutomation({ metadata: { name: "fix", namespace }, spec }));
  return makeKey(client, automation.metadata.uid ?? "", options.keysNamespace);
}

/** As the gateway does, for who asks it. */
async function makeKey(client: KubeClient, automationUid: string, namespace: string): Promise<string> {
  const key = randomBytes(32).toString("base64url");
  const data = { [keyHashDataKey]: Buffer.from(hashApiKey(key)).toString("base64") };
  const own = { [labels.automationUid]: automationUid };
  await client.create(secrets, { metadata: { name: keySecretName(automationUid), namespace, labels: own }, data });
  return key;
}
