import type { KubeObject } from "../../../src/lib/resource.ts";
import type { RenderedChart } from "./render.ts";

interface Rule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
  resourceNames?: string[];
}

type Role = KubeObject & { rules: Rule[] | null };
type Binding = KubeObject & {
  roleRef: { kind: string; name: string };
  subjects: { kind: string; name: string; namespace?: string }[];
};

/** One right as one line: where, verb, group/resource and the only name it holds for. */
export function rightLines(namespace: string, { apiGroups, resources, verbs, resourceNames = ["*"] }: Rule): string[] {
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) => resourceNames.map((name) => `${namespace}: ${verb} ${group}/${resource} ${name}`)),
    ),
  );
}

/** All rights that the chart binds to one of the release's ServiceAccounts, sorted; namespace `*` is the whole cluster. */
export function rightsOf(chart: RenderedChart, account: { name: string; namespace: string }): string[] {
  const bindings = [...chart.ofKind<Binding>("ClusterRoleBinding"), ...chart.ofKind<Binding>("RoleBinding")];
  const roles = [...chart.ofKind<Role>("ClusterRole"), ...chart.ofKind<Role>("Role")];
  const lines = bindings
    .filter(({ subjects }) =>
      subjects.some(
        ({ kind, name, namespace }) =>
          kind === "ServiceAccount" && name === account.name && namespace === account.namespace,
      ),
    )
    .flatMap(({ roleRef, metadata }) => {
      const { namespace } = metadata;
      const role = roles.find(
        (candidate) =>
          candidate.kind === roleRef.kind &&
          candidate.metadata.name === roleRef.name &&
          (roleRef.kind === "ClusterRole" || candidate.metadata.namespace === namespace),
      );
      if (role === undefined)
        throw new Error(`${metadata.name ?? ""} binds ${roleRef.kind} ${roleRef.name}, which is not rendered`);
      return (role.rules ?? []).flatMap((rule) => rightLines(namespace ?? "*", rule));
    });
  return [...new Set(lines)].sort();
}
