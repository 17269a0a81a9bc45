import type { Pod } from "../../../kube/core-resources.ts";
import { isPlainObject, jsonEqual } from "../../../lib/json-equal.ts";

/** Members that the API server's defaults, its admission plugins and the scheduler add, at any depth. */
const added = new Set([
  "apiVersion",
  "defaultMode",
  "dnsPolicy",
  "imagePullPolicy",
  "metadata",
  "nodeName",
  "overhead",
  "preemptionPolicy",
  "priority",
  "priorityClassName",
  "pullPolicy",
  "schedulerName",
  "serviceAccount",
  "terminationGracePeriodSeconds",
  "terminationMessagePath",
  "terminationMessagePolicy",
  "volumeMode",
]);
/** What others may change as they like: it says where a pod runs and how much it may use, not as whom and what. */
const free = new Set(["imagePullSecrets", "resources", "tolerations"]);

/**
 * Where a stored sandbox pod is not as ours is made now, such as `spec.containers[1].image`; undefined: nowhere. Labels
 * and annotations of others, and what the API server adds, are no difference. What an admission webhook adds is one.
 */
export function podDifference(wanted: Pod, stored: Pod): string | undefined {
  const { labels = {}, annotations = {} } = wanted.metadata;
  return (
    differenceIn(labels, only(labels, stored.metadata.labels), "metadata.labels") ??
    differenceIn(annotations, only(annotations, stored.metadata.annotations), "metadata.annotations") ??
    differenceIn(asServed(wanted, stored), stored.spec, "spec")
  );
}

/** An API server that knows no user namespaces drops the field, and a pod that is made anew lacks it again. */
function asServed({ spec }: Pod, stored: Pod): object | undefined {
  if (!spec || stored.spec?.hostUsers !== undefined) return spec;
  return { ...spec, hostUsers: undefined };
}

function only(wanted: Record<string, string>, stored: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(stored).filter(([name]) => name in wanted));
}

function differenceIn(wanted: unknown, stored: unknown, path: string): string | undefined {
  if (Array.isArray(wanted) && Array.isArray(stored)) {
    if (wanted.length !== stored.length) return path;
    return firstOf(wanted, (item, at) => differenceIn(item, stored[at], `${path}[${at}]`));
  }
  if (!isPlainObject(wanted) || !isPlainObject(stored)) return jsonEqual(wanted, stored) ? undefined : path;
  const names = new Set([...Object.keys(wanted), ...Object.keys(stored)]);
  const compared = [...names].filter((name) => !free.has(name) && !(wanted[name] === undefined && added.has(name)));
  return firstOf(compared, (name) => differenceIn(wanted[name], stored[name], `${path}.${name}`));
}

function firstOf<T>(items: readonly T[], find: (item: T, at: number) => string | undefined): string | undefined {
  for (const [at, item] of items.entries()) {
    const found = find(item, at);
    if (found !== undefined) return found;
  }
  return undefined;
}
