import { group as ownGroup } from "../kind.ts";
import type { PolicyScope, PolicySource } from "../policy-source.ts";
import type { Requirement } from "./validations.ts";
import type { OwnNamespace } from "./write.ts";

/** What one of our processes may delete of one resource. */
export interface Deletion {
  /** Ends the policy's name. */
  name: string;
  /** Left out: our own. */
  apiGroup?: string;
  /** Of the group; left out: our own. */
  version?: string;
  /** Plural. */
  resource: string;
  /** The one namespace in which it may; left out: all. */
  namespace?: OwnNamespace;
  /** About the object that goes. */
  holds: Requirement;
}

/** Resources that no process of ours deletes without a row, beside those of our own group. */
export const guarded: readonly { apiGroup: string; resources: readonly string[] }[] = [
  {
    apiGroup: "",
    resources: ["pods", "services", "secrets", "configmaps", "serviceaccounts", "persistentvolumeclaims", "namespaces"],
  },
  { apiGroup: "apps", resources: ["deployments"] },
  { apiGroup: "coordination.k8s.io", resources: ["leases"] },
  { apiGroup: "events.k8s.io", resources: ["events"] },
  { apiGroup: "gateway.networking.k8s.io", resources: ["httproutes"] },
  { apiGroup: "networking.k8s.io", resources: ["networkpolicies", "ingresses"] },
  { apiGroup: "rbac.authorization.k8s.io", resources: ["roles", "rolebindings"] },
  { apiGroup: "snapshot.storage.k8s.io", resources: ["volumesnapshots"] },
];

/** Names of the release's namespaces. */
export type NamesOfNamespaces = Record<OwnNamespace, string>;

/** What keeps a process from deleting what has no row, and one policy more for what each row asks for. */
export function deletionPolicies(
  process: keyof PolicyScope["users"],
  rows: readonly Deletion[],
  { user, namespaces }: { user: string; namespaces: NamesOfNamespaces },
): PolicySource[] {
  const conditions = [{ name: `is-${process}`, expression: `request.userInfo.username == '${user}'` }];
  const operations = ["DELETE"] as const;
  const may = rows.map((row) => mayDelete(row, namespaces));
  const listed = [...new Set(rows.map(({ resource }) => resource))].join(", ") || "nothing";
  return [
    {
      name: `${process}-deletions`,
      operations,
      resources: ["*"],
      others: guarded,
      conditions,
      validations: [
        {
          expression: may.length === 0 ? "false" : may.map((one) => `(${one})`).join(" || "),
          message: `the ${process} may delete ${listed}${rows.length === 0 ? "" : " alone, each where it keeps them"}`,
          reason: "Forbidden",
        },
      ],
    },
    ...rows.map(({ name, apiGroup, version, resource, namespace, holds }): PolicySource => ({
      name,
      operations,
      ...(apiGroup === undefined ? {} : { apiGroup, version }),
      resources: [resource],
      ...(namespace && { namespace: namespaces[namespace] }),
      conditions,
      validations: [{ ...holds, reason: "Forbidden" }],
    })),
  ];
}

/** CEL: whether the request is about a row's resource, in its namespace. */
function mayDelete({ apiGroup = ownGroup, resource, namespace }: Deletion, namespaces: NamesOfNamespaces): string {
  const isIt = `request.resource.group == '${apiGroup}' && request.resource.resource == '${resource}'`;
  return namespace === undefined ? isIt : `${isIt} && request.namespace == '${namespaces[namespace]}'`;
}
