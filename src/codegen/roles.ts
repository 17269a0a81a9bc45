import { access } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { type Permission, type PermissionScope, releaseNameMark } from "../lib/permissions.ts";
import { mergedRules } from "./merged-rules.ts";
import { action, adminTemplate, chartDocuments, chartLabels } from "./chart.ts";

/** Processes that have rights, and the folder below src/ that declares them; the connector is optional. */
const processes = { controller: "controllers", gateway: "gateway", ingress: "ingress", connector: "connector" };

const namespaces = {
  release: action.releaseNamespace,
  keys: action.keysNamespace,
  sessions: action.sessionsNamespace,
  tokens: action.tokensNamespace,
} as const satisfies Record<Exclude<PermissionScope, "cluster" | "tenants">, string>;

const Texts = z.array(z.string()).min(1);
const Module = z.object({
  permissions: z.array(
    z.strictObject({
      scope: z.enum(["cluster", "tenants", "release", "keys", "sessions", "tokens"]),
      apiGroups: Texts,
      resources: Texts,
      verbs: Texts,
      resourceNames: Texts.optional(),
    }),
  ),
});

/** Permissions that a process declares in `src/<folder>/permissions.ts`; none without that file. */
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

const apiVersion = "rbac.authorization.k8s.io/v1";
const clusterName = (process: string): string => `${action.clusterName}-${process}`;

/** The ClusterRole of one process; `isWide` = with the rights in every namespace. */
export function clusterRoleOf(process: string, permissions: readonly Permission[], isWide: boolean): object {
  const held = permissions.filter(({ scope }) => scope === "cluster" || (isWide && scope === "tenants"));
  const metadata = { name: clusterName(process), labels: chartLabels };
  return { apiVersion, kind: "ClusterRole", metadata, rules: mergedRules(held) };
}

/** The Role of one process in a watched namespace. */
export function watchedRoleOf(process: string, permissions: readonly Permission[], namespace: string): object {
  const rules = mergedRules(permissions.filter(({ scope }) => scope === "tenants"));
  return { apiVersion, kind: "Role", metadata: { name: clusterName(process), namespace, labels: chartLabels }, rules };
}

type OwnScope = keyof typeof namespaces;

/** Namespaces that every release has; that of tokens is there with the connector alone. */
const usual: readonly OwnScope[] = ["release", "keys", "sessions"];

/** The Roles of one process in these namespaces of the release, one in each, which may be empty. */
export function rolesOf(
  process: string,
  permissions: readonly Permission[],
  scopes: readonly OwnScope[] = usual,
): object[] {
  return scopes.map((scope) => ({
    apiVersion,
    kind: "Role",
    metadata: { name: `${action.releaseName}-${process}`, namespace: namespaces[scope], labels: chartLabels },
    rules: mergedRules(permissions.filter((permission) => permission.scope === scope).map(withReleaseName)),
  }));
}

function withReleaseName({ resourceNames, ...permission }: Permission): Permission {
  return {
    ...permission,
    resourceNames: resourceNames?.map((name) => name.replace(releaseNameMark, action.releaseName)),
  };
}

/** All processes' roles as a template of the chart. */
export async function rolesTemplate(sources: string): Promise<string> {
  const declared: [string, readonly Permission[]][] = [];
  for (const [process, folder] of Object.entries(processes)) {
    declared.push([process, await permissionsOf(sources, folder)]);
  }
  const always = declared.filter(([process]) => process !== optional);
  const onDemand = declared.filter(([process]) => process === optional);
  const withTokens = declared.flatMap(([process, permissions]) => rolesOf(process, permissions, ["tokens"]));
  return adminTemplate(
    [
      wholeRoles(always),
      `{{- if .Values.connector.enabled }}\n${wholeRoles(onDemand)}${chartDocuments(withTokens)}{{- end }}\n`,
    ].join(""),
  );
}

const optional = "connector";

/** The roles of these processes wherever they have rights, but for the namespace of tokens. */
function wholeRoles(declared: readonly [string, readonly Permission[]][]): string {
  const clusterRoles = (isWide: boolean): string =>
    chartDocuments(declared.map(([process, permissions]) => clusterRoleOf(process, permissions, isWide)));
  const watchedRoles = declared.map(([process, permissions]) =>
    watchedRoleOf(process, permissions, "{{ $namespace }}"),
  );
  return [
    `{{- if .Values.watchNamespaces }}\n${clusterRoles(false)}`,
    `{{- range $namespace := .Values.watchNamespaces }}\n${chartDocuments(watchedRoles)}{{- end }}\n`,
    `{{- else }}\n${clusterRoles(true)}{{- end }}\n`,
    chartDocuments(declared.flatMap(([process, permissions]) => rolesOf(process, permissions))),
  ].join("");
}
