/** Value of `app.kubernetes.io/component` on sandbox pods and on what exists for their sake. */
export const sandboxComponent = "sandbox";

/** A release by its namespace and name; the two together are unique in a cluster. */
export interface Release {
  name: string;
  namespace: string;
}

/** Label value of what belongs to one release; undefined-safe cut, as label values end at 63 characters. */
export function releaseLabel(release: Release): string {
  return `${release.namespace}.${release.name}`.slice(0, 63).replace(/[^A-Za-z0-9]+$/, "");
}
