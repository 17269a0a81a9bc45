import { type Automation, group } from "../../api/v1alpha1/index.ts";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import type { WantedAccess } from "./callers.ts";

/** A verb on one automation. */
export function onAutomation(verb: "get" | "patch", { namespace, name }: NamespacedName): WantedAccess {
  return { verb, group, resource: "automations", namespace, name };
}

/** The right that shows or replaces an automation's key. */
export function onKey({ namespace, name }: NamespacedName): WantedAccess {
  return { verb: "create", group, resource: "automations", subresource: "key", namespace, name };
}

/** What shows a session's events, as `pods/log` shows a pod's output. */
export function onSessionLog({ namespace, name }: NamespacedName): WantedAccess {
  return { verb: "get", group, resource: "sessions", subresource: "log", namespace, name };
}

export function onAutomations(namespace: string | undefined): WantedAccess {
  return { verb: "list", group, resource: "automations", ...(namespace === undefined ? {} : { namespace }) };
}

export function onRuns(verb: "list" | "create", { namespace }: NamespacedName): WantedAccess {
  return { verb, group, resource: "runs", namespace };
}

/** What the admission policy on authors asks of whoever changes a spec; we are exempt and ask for our caller. */
export function onServiceAccountOf({ metadata, spec }: Automation): WantedAccess {
  const { namespace = "" } = metadata;
  return { verb: "impersonate", group: "", resource: "serviceaccounts", namespace, name: spec.serviceAccountName };
}

/** The right to see one session. */
export function onSession({ namespace, name }: NamespacedName): WantedAccess {
  return { verb: "get", group, resource: "sessions", namespace, name };
}

export function onSessions(namespace: string | undefined): WantedAccess {
  return { verb: "list", group, resource: "sessions", ...(namespace === undefined ? {} : { namespace }) };
}

/** A verb on the prompts of a session's namespace, or on one of them. */
export function onPrompts(
  verb: "get" | "list" | "create" | "patch",
  { namespace }: NamespacedName,
  name?: string,
): WantedAccess {
  return { verb, group, resource: "prompts", namespace, ...(name === undefined ? {} : { name }) };
}
