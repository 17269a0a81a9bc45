import { z } from "zod";
import type { KubeObject } from "../../lib/resource.ts";
import { isNewer } from "../../lib/resource-version.ts";

/**
 * Up to which resource version of each kind everything is in the archive. Versions compare only within a kind. It travels
 * on the Lease of the archive's writer.
 */
export const StoredMark = z.object({
  runs: z.string(),
  sessions: z.string(),
  prompts: z.string(),
  pullRequests: z.string(),
});
export type StoredMark = z.infer<typeof StoredMark>;
export type ArchivedKind = keyof StoredMark;

export const archivedKinds = Object.keys(StoredMark.shape) as ArchivedKind[];

/** How often it is looked whether the archive has got what waits to be pruned. */
export const archiveLookMs = 10_000;

/** The mark that an annotation holds; undefined where there is none, or one that cannot be read. */
export function readMark(text: string | undefined): StoredMark | undefined {
  try {
    return StoredMark.safeParse(JSON.parse(text ?? "")).data;
  } catch {
    return undefined;
  }
}

/** Whether the archive has the object as it is here. Without a mark nothing is known to be stored. */
export function isStored(mark: StoredMark | undefined, kind: ArchivedKind, { metadata }: KubeObject): boolean {
  return mark !== undefined && !isNewer(metadata.resourceVersion, mark[kind]);
}

/** Whether a mark knows less of any kind than an earlier one: the API server was restored from a backup. */
export function isSetBack(mark: StoredMark, earlier: StoredMark): boolean {
  return archivedKinds.some((kind) => isNewer(earlier[kind], mark[kind]));
}
