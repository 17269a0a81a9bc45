import type { ObjectMeta } from "../../lib/resource.ts";

/** What is younger may belong to an owner that no list shows yet: 5 minutes. */
export const youngestOrphanMs = 300_000;

/** Objects of a private namespace that are old enough and whose owner none of the known UIDs is. */
export function findOrphans<T extends { metadata: ObjectMeta }>(
  objects: readonly T[],
  { ownerLabel, ownerUids, now }: { ownerLabel: string; ownerUids: ReadonlySet<string>; now: Date },
): T[] {
  return objects.filter(({ metadata }) => {
    const owner = metadata.labels?.[ownerLabel];
    // Without the label it is not for us to judge, and without an age it is not old.
    if (owner === undefined || metadata.creationTimestamp === undefined) return false;
    const ageMs = now.getTime() - Date.parse(metadata.creationTimestamp);
    return !ownerUids.has(owner) && ageMs >= youngestOrphanMs;
  });
}
