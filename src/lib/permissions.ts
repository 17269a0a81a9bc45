/**
 * Where a permission holds: for cluster-scoped kinds, in every namespace that is served, or in one namespace of the
 * release (its own, with the Leases of the leader election; the one of key hashes; the one of live sessions; the
 * one of credentials of Integrations).
 */
export type PermissionScope = "cluster" | "tenants" | "release" | "keys" | "sessions" | "tokens";

/** Stands for the release's name in `resourceNames`. */
export const releaseNameMark = "(release)";

/**
 * One rule of a process's role. Each process folder exports a list of them as `permissions` from its `permissions.ts`;
 * code generation writes the chart's ClusterRoles and Roles from it, so a permission stands beside the code that needs it.
 */
export interface Permission {
  scope: PermissionScope;
  /** `""` is the core group. */
  apiGroups: readonly string[];
  /** Plural names; a subresource as `pods/log`. */
  resources: readonly string[];
  verbs: readonly string[];
  /** Narrows the rule to objects of these names; cannot be combined with `create` and `list`. */
  resourceNames?: readonly string[] | undefined;
}
