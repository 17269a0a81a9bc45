import { group } from "../../../api/v1alpha1/kind.ts";
import { sandboxAccountName } from "../../../api/v1alpha1/names.ts";
import { reasons } from "../../../api/v1alpha1/reasons.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { serviceAccounts, subjectAccessReviews } from "../../../kube/core-resources.ts";
import { keyText } from "../../../lib/resource.ts";
import { type Checked, checked, refused } from "../refusal.ts";
import type { TenantNamespaces } from "../tenant/tenant-namespaces.ts";

export interface StartRightsDeps {
  client: Pick<KubeClient, "find" | "list" | "create">;
  namespaces: Pick<TenantNamespaces, "hasJustChanged" | "isAccountInOrder">;
}

/** The ServiceAccount whose rights a sandbox has. */
export interface Account {
  namespace: string;
  name: string;
}

/** Whether the account is there and may use the class of this name. */
export async function checkClass(deps: StartRightsDeps, account: Account, name: string): Promise<Checked<undefined>> {
  const found = await deps.client.find(serviceAccounts, account);
  if (!found || found.metadata.deletionTimestamp !== undefined) {
    return refused(reasons.serviceAccountNotFound, `ServiceAccount ${keyText(account)} does not exist`);
  }
  return checkAllowed(deps, account, { verb: "use", resource: "sandboxclasses", name });
}

interface Attempted {
  verb: "use" | "get";
  resource: "sandboxclasses" | "repositories" | "environments";
  name: string;
}

/** Groups of all ServiceAccounts, and of those of a namespace. */
function accountGroups(namespace: string): string[] {
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}

/**
 * Asked with the session's namespace for classes too, so that a Role there can allow their use; and with the groups
 * that a token of the account would bring, or rights given to a group would count as missing. The use of a class does not
 * count that all users have: the admission policy of sandbox pods, which asks again, cannot see it.
 */
export async function checkAllowed(
  deps: StartRightsDeps,
  account: Account,
  attempted: Attempted,
): Promise<Checked<undefined>> {
  const { namespace, name } = account;
  const { status } = await deps.client.create(subjectAccessReviews, {
    metadata: {},
    spec: {
      user: `system:serviceaccount:${namespace}:${name}`,
      groups: [...accountGroups(namespace), ...(attempted.verb === "use" ? [] : ["system:authenticated"])],
      resourceAttributes: { group, namespace, ...attempted },
    },
  });
  if (status?.allowed) return checked(undefined);
  if (name === sandboxAccountName && deps.namespaces.hasJustChanged(namespace)) {
    throw new Error(`the rights of ServiceAccount ${namespace}/${name} are not in force yet`);
  }
  const { verb, resource, name: of } = attempted;
  const message = `ServiceAccount ${namespace}/${name} may not ${verb} ${resource}.${group} ${of}`;
  return refused(reasons.ownerNotAllowed, `${message} in namespace ${namespace}`);
}
