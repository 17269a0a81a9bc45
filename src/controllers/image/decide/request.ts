import { annotations } from "../../../api/v1alpha1/names.ts";
import type { PrebuiltImage, PrebuiltImageStatus } from "../../../api/v1alpha1/prebuilt-image.ts";
import { firstCharacters } from "../../../lib/characters.ts";

/** Characters of a request that the status has room for; of longer ones the first count. */
const requestCharacters = 256;

/** Whether a person has requested a build that was not counted yet. */
export function isRequested({ metadata, status }: Pick<PrebuiltImage, "metadata" | "status">): boolean {
  const value = requestOf(metadata);
  return value !== undefined && value !== status?.rebuildRequestedAt;
}

/** What the status keeps of a person's request for a build once it counts. */
export function countedRequest({
  metadata,
}: Pick<PrebuiltImage, "metadata">): Pick<PrebuiltImageStatus, "rebuildRequestedAt"> {
  const value = requestOf(metadata);
  return value === undefined ? {} : { rebuildRequestedAt: value };
}

function requestOf(metadata: PrebuiltImage["metadata"]): string | undefined {
  const value = metadata.annotations?.[annotations.rebuildRequestedAt];
  return value === undefined ? undefined : firstCharacters(value, requestCharacters);
}
