import type { SandboxClass } from "../../api/v1alpha1/sandbox-class.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import type { Change } from "../../kube/cache.ts";
import { Controller, type ControllerDeps } from "../../kube/controller.ts";
import {
  type NetworkPolicy,
  networkPolicies,
  type ServiceAccount,
  serviceAccounts,
} from "../../kube/core-resources.ts";
import { Informer, type InformerDeps } from "../../kube/informer.ts";
import type { ObjectKey } from "../../lib/resource.ts";
import { labels } from "../../api/v1alpha1/names.ts";
import { type Release, releaseLabel, sandboxComponent } from "../sandbox/labels.ts";
import { type Role, type RoleBinding, roleBindings, roles } from "../sandbox/tenant/service-account.ts";
import type { TenantNamespaces } from "../sandbox/tenant/tenant-namespaces.ts";
import type { KindInformers } from "../kind-informers.ts";
import { NamespaceReconciler } from "./reconciler.ts";

/** Caches of what this release keeps in tenant namespaces. */
export interface NamespaceInformers {
  policies: Informer<NetworkPolicy>;
  accounts: Informer<ServiceAccount>;
  roles: Informer<Role>;
  roleBindings: Informer<RoleBinding>;
}

/** Only objects that carry this release's labels, everywhere or in some namespaces. */
export function namespaceInformers(
  deps: InformerDeps,
  { release, namespaces }: { release: Release; namespaces?: readonly string[] | undefined },
): NamespaceInformers {
  const labelSelector = `${labels.component}=${sandboxComponent},${labels.release}=${releaseLabel(release)}`;
  const selection = { labelSelector, namespaces };
  return {
    policies: new Informer(deps, networkPolicies, selection),
    accounts: new Informer(deps, serviceAccounts, selection),
    roles: new Informer(deps, roles, selection),
    roleBindings: new Informer(deps, roleBindings, selection),
  };
}

export interface NamespaceControllerDeps extends ControllerDeps {
  informers: NamespaceInformers & Pick<KindInformers, "sessions" | "sandboxClasses">;
  /** Shared with the session controller, which makes sure of a namespace before each start. */
  namespaces: TenantNamespaces;
}

/**
 * Keeps policies and the sandbox account of each namespace with live sessions as they should be: when somebody changes
 * or deletes one, and when a class changes. The caller starts informers and controller.
 */
export function namespaceController(deps: NamespaceControllerDeps): Controller {
  const { informers, namespaces } = deps;
  const reconciler = new NamespaceReconciler({ informers, namespaces });
  const controller = new Controller(deps, { name: "namespace", concurrency: 2, reconciler });
  const kept = { keysOf: namespaceOf, when: isChangeOfKept };
  controller.watch(informers.policies, kept);
  controller.watch(informers.accounts, kept);
  controller.watch(informers.roles, kept);
  controller.watch(informers.roleBindings, kept);
  controller.watch(informers.sandboxClasses, {
    keysOf: () => liveNamespaces(informers.sessions.list()),
    when: isChangeOfClass,
  });
  // The first look at a namespace is the session controller's; this one begins with what exists at the start.
  controller.watch(informers.sessions, { keysOf: namespaceOf, when: () => false });
  return controller;
}

function namespaceOf({ metadata }: { metadata: { namespace?: string | undefined } }): ObjectKey[] {
  return metadata.namespace === undefined ? [] : [{ name: metadata.namespace }];
}

/** What was just made is as it was made. */
function isChangeOfKept({ type }: Change<NetworkPolicy | ServiceAccount | Role | RoleBinding>): boolean {
  return type !== "added";
}

function isChangeOfClass({ type, object, old }: Change<SandboxClass>): boolean {
  return type !== "updated" || object.metadata.generation !== old.metadata.generation;
}

function liveNamespaces(sessions: readonly Session[]): ObjectKey[] {
  const names = new Set(sessions.map(({ metadata }) => metadata.namespace ?? ""));
  return [...names].map((name) => ({ name }));
}
