import type { KubeObject } from "../../lib/resource.ts";

/** Everything that was observed for one private namespace. */
export interface OrphanFacts {
  /** Metadata of the Secrets that name an owner. */
  secrets: readonly KubeObject[];
  /** Label of a Secret that holds its owner's UID. */
  ownerLabel: string;
  /** UIDs of the owners that exist: a list from the API server where the cache lacks an owner, else the cache. */
  ownerUids: ReadonlySet<string>;
  /** UIDs of owners that were seen to go. */
  goneUids: ReadonlySet<string>;
}

/** A Secret younger than this may belong to an owner that no list shows yet: 5 minutes. */
const youngestOrphanMs = 300_000;

/** The Secrets whose owner does not exist, and was seen to go where they are young. */
export function orphansIn({ secrets, ownerLabel, ownerUids, goneUids }: OrphanFacts, now: Date): KubeObject[] {
  return secrets.filter(({ metadata }) => {
    const owner = metadata.labels?.[ownerLabel];
    if (owner === undefined || ownerUids.has(owner)) return false;
    if (goneUids.has(owner)) return true;
    if (metadata.creationTimestamp === undefined) return false;
    return now.getTime() - Date.parse(metadata.creationTimestamp) >= youngestOrphanMs;
  });
}
