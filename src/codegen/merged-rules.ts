import type { Permission } from "../lib/permissions.ts";

/** One rule of a Role. */
export interface RoleRule {
  apiGroups: string[];
  resources: string[];
  resourceNames?: string[];
  verbs: string[];
}

/** Verbs in the order in which people read them; others come last. */
const verbOrder = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];

interface Target {
  apiGroup: string;
  resource: string;
  resourceNames: string[];
  verbs: Set<string>;
}

/**
 * The same rights in the fewest rules: several reconcilers of one process name the same resources, and a reviewer of the
 * role wants to find each resource once. Equal rights always give equal rules.
 */
export function mergedRules(permissions: readonly Permission[]): RoleRule[] {
  const rules = new Map<string, RoleRule>();
  for (const { apiGroup, resource, resourceNames, verbs } of targetsOf(permissions)) {
    const ordered = [...verbs].sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
    const key = JSON.stringify([apiGroup, resourceNames, ordered]);
    const rule = rules.get(key);
    if (rule) rule.resources.push(resource);
    else {
      const names = resourceNames.length > 0 ? { resourceNames } : {};
      rules.set(key, { apiGroups: [apiGroup], resources: [resource], ...names, verbs: ordered });
    }
  }
  return [...rules.values()];
}

/** Each resource once, with all that is permitted on it, in alphabetical order. */
function targetsOf(permissions: readonly Permission[]): Target[] {
  const targets = new Map<string, Target>();
  for (const { apiGroups, resources, verbs, resourceNames = [] } of permissions) {
    for (const apiGroup of apiGroups) {
      for (const resource of resources) {
        const names = [...resourceNames].sort();
        const key = JSON.stringify([apiGroup, resource, names]);
        const target = targets.get(key) ?? { apiGroup, resource, resourceNames: names, verbs: new Set() };
        targets.set(key, { ...target, verbs: new Set([...target.verbs, ...verbs]) });
      }
    }
  }
  return [...targets.keys()]
    .sort()
    .map((key) => targets.get(key))
    .filter((target) => target !== undefined);
}

function rank(verb: string): number {
  const index = verbOrder.indexOf(verb);
  return index < 0 ? verbOrder.length : index;
}
