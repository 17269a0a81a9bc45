import type { PrebuiltImage } from "../../../api/v1alpha1/prebuilt-image.ts";
import type { SessionTarget } from "../../../api/v1alpha1/targets.ts";

/** What an image is of. */
export interface ImageScope {
  kind: "Repository" | "Environment";
  name: string;
}

export function scopeOf({ spec }: Pick<PrebuiltImage, "spec">): ImageScope {
  const { repositoryRef, environmentRef } = spec;
  if (environmentRef) return { kind: "Environment", name: environmentRef.name };
  return { kind: "Repository", name: repositoryRef?.name ?? "" };
}

/** What the image of a session's target would be of; several Repositories that no Environment names have none. */
export function scopeOfTarget({ repositoryRefs = [], environmentRef }: SessionTarget): ImageScope | undefined {
  if (environmentRef) return { kind: "Environment", name: environmentRef.name };
  const [only, ...more] = repositoryRefs;
  return only && more.length === 0 ? { kind: "Repository", name: only.name } : undefined;
}

/** Such as `Repository/web`. */
export function scopeText({ kind, name }: ImageScope): string {
  return `${kind}/${name}`;
}

/** Those of the images that are of this scope and class, the one that is built first: the oldest, then by UID. */
export function imagesOf(
  images: readonly PrebuiltImage[],
  scope: ImageScope,
  sandboxClassName: string,
): PrebuiltImage[] {
  const text = scopeText(scope);
  const same = images.filter(
    ({ metadata, spec }) =>
      spec.sandboxClassName === sandboxClassName &&
      scopeText(scopeOf({ spec })) === text &&
      metadata.deletionTimestamp === undefined,
  );
  return same.sort((left, right) => orderOf(left).localeCompare(orderOf(right)));
}

function orderOf({ metadata: { creationTimestamp = "", uid = "" } }: PrebuiltImage): string {
  return `${creationTimestamp} ${uid}`;
}
