import { access } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import type { Permission, PermissionScope } from "../lib/permissions.ts";
import { mergedRules } from "./merged-rules.ts";
import { action, chartLabels, chartTemplate } from "./chart.ts";

/** Processes that have rights, and the folder below src/ that declares them. */
const processes = { controller: "controllers", gateway: "gateway", ingress: "ingress" };

const namespaces = {
  release: action.releaseNamespace,
  keys: action.keysNamespace,
  sessions: action.sessionsNamespace,
} as const satisfies Record<Exclude<PermissionScope, "cluster">, string>;

const Texts = z.array(z.string()).min(1);
const Module = z.object({
  permissions: z.array(
    z.strictObject({
      scope: z.enum(["cluster", "release", "keys", "sessions"]),
      apiGroups: Texts,
      resources: Texts,
      verbs: Texts,
      resourceNames: Texts.optional(),
    }),
  ),
});

/** What a process declares in `src/<folder>/permissions.ts`; nothing while that file is not written. */
async function permissionsOf(sources: string, folder: string): Promise<readonly Permission[]> {
  const file = join(sources, folder, "permissions.ts");
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (!isThere) return [];
  const module: unknown = await import(pathToFileURL(file).href);
  return Module.parse(module).permissions;
}

/** The ClusterRole and the Roles of one process; one in each namespace even where it may do nothing there. */
export function rolesOf(process: string, permissions: readonly Permission[]): object[] {
  const rules = (wanted: PermissionScope): object[] => mergedRules(permissions.filter(({ scope }) => scope === wanted));
  const clusterRole = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: `${action.clusterName}-${process}`, labels: chartLabels },
    rules: rules("cluster"),
  };
  const roles = (["release", "keys", "sessions"] as const).map((scope) => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata: { name: `${action.releaseName}-${process}`, namespace: namespaces[scope], labels: chartLabels },
    rules: rules(scope),
  }));
  return [clusterRole, ...roles];
}

/** All processes' roles as a template of the chart. */
export async function rolesTemplate(sources: string): Promise<string> {
  const roles: object[] = [];
  for (const [process, folder] of Object.entries(processes)) {
    roles.push(...rolesOf(process, await permissionsOf(sources, folder)));
  }
  return chartTemplate(roles);
}
