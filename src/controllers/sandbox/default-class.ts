import type { SandboxClass } from "../../api/v1alpha1/sandbox-class.ts";

/** The class of sessions that name none. Of several defaults the newest counts, as with storage classes. */
export function defaultClassOf(classes: readonly SandboxClass[]): SandboxClass | undefined {
  const defaults = classes.filter(({ spec, metadata }) => spec.default && metadata.deletionTimestamp === undefined);
  return defaults.sort(newestFirst)[0];
}

function newestFirst({ metadata: left }: SandboxClass, { metadata: right }: SandboxClass): number {
  const byAge = (right.creationTimestamp ?? "").localeCompare(left.creationTimestamp ?? "");
  return byAge === 0 ? (left.name ?? "").localeCompare(right.name ?? "") : byAge;
}
