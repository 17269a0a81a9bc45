import { labels, sandboxComponent } from "../../api/v1alpha1/names.ts";
import type { ObjectMeta } from "../../lib/resource.ts";

/** A release by its namespace and name; the two together are unique in a cluster. */
export interface Release {
  name: string;
  namespace: string;
}

/** Label value of what belongs to one release, cut to the 63 characters of a label value. */
export function releaseLabel(release: Release): string {
  return `${release.namespace}.${release.name}`.slice(0, 63).replace(/[^A-Za-z0-9]+$/, "");
}

/** Labels of one release's sandbox pods, and of what exists for their sake. */
export function sandboxLabels(release: Release): Record<string, string> {
  return { [labels.component]: sandboxComponent, [labels.release]: releaseLabel(release) };
}

/** The label selector of objects that have all these labels. */
export function selectorOf(wanted: Readonly<Record<string, string>>): string {
  return Object.entries(wanted)
    .map(([name, value]) => `${name}=${value}`)
    .join(",");
}

/** The sandbox attempt that a Pod or bundle Secret of ours belongs to; 0 when its label says none. */
export function attemptOf({ labels: own }: ObjectMeta): number {
  const attempt = Number(own?.[labels.attempt]);
  return Number.isSafeInteger(attempt) ? attempt : 0;
}
