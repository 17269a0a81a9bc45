import { type Automation, group } from "../../api/v1alpha1/index.ts";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import type { WantedAccess } from "./callers.ts";

/** Access to one automation. */
export function onAutomation(verb: "get" | "patch", { namespace, name }: NamespacedName): WantedAccess {
  return { verb, group, resource: "automations", namespace, name };
}

/** Access to issue the key of an automation. */
export function onKey({ namespace, name }: NamespacedName): WantedAccess {
  return { verb: "create", group, resource: "automations", subresource: "key", namespace, name };
}

/** Access to a session's events, as `pods/log` is for the output of a pod. */
export function onSessionLog({ namespace, name }: NamespacedName): WantedAccess {
  return { verb: "get", group, resource: "sessions", subresource: "log", namespace, name };
}

export function onAutomations(namespace: string | undefined): WantedAccess {
  return { verb: "list", group, resource: "automations", ...(namespace === undefined ? {} : { namespace }) };
}

export function onRuns(verb: "list" | "create", { namespace }: NamespacedName): WantedAccess {
  return { verb, group, resource: "runs", namespace };
}

/** Access that the admission policy requires to change a spec; the gateway, exempt from it, checks its callers. */
export function onServiceAccountOf({ metadata, spec }: Automation): WantedAccess {
  const { namespace = "" } = metadata;
  return { verb: "impersonate", group: "", resource: "serviceaccounts", namespace, name: spec.serviceAccountName };
}

/** Access to read one session. */
export function onSession({ namespace, name }: NamespacedName): WantedAccess {
  return { verb: "get", group, resource: "sessions", namespace, name };
}

export function onSessions(namespace: string | undefined): WantedAccess {
  return { verb: "list", group, resource: "sessions", ...(namespace === undefined ? {} : { namespace }) };
}

/** Access to the prompts of a session's namespace, or to one of them. */
export function onPrompts(
  verb: "get" | "list" | "create" | "patch",
  { namespace }: NamespacedName,
  name?: string,
): WantedAccess {
  return { verb, group, resource: "prompts", namespace, ...(name === undefined ? {} : { name }) };
}
