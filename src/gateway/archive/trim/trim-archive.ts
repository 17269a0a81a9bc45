import type { ArchiveStore } from "../archive-store.ts";
import type { ArchiveBounds, ArchiveBudget } from "./archive-bounds.ts";
import { nextToTrim, totalOf } from "./next-to-trim.ts";

/** Transactions of one look, so that what is to be stored waits for seconds at most. */
const mostSteps = 200;

/** What was deleted in one transaction. */
export interface Trimmed {
  namespace: string;
  budget: ArchiveBudget;
  rows: number;
}

/** How the archive is after a look. */
export interface Look {
  bytes: number;
  /** Whether there is nothing more to delete; else the next look goes on soon. */
  isDone: boolean;
}

/**
 * Deletes rows of objects that are gone until all namespaces are within the bounds, as far as one look goes. Rejects as the
 * store does; what `trimmed` was told by then stays deleted.
 */
export async function trimArchive(
  store: Pick<ArchiveStore, "sizes" | "trim">,
  { term, bounds, trimmed }: { term: number; bounds: ArchiveBounds; trimmed: (of: Trimmed) => void },
): Promise<Look> {
  const sizes = await store.sizes();
  const passedOver = new Set<string>();
  for (let step = 0; step < mostSteps; step += 1) {
    const next = nextToTrim(sizes, bounds, passedOver);
    if (!next) return { bytes: totalOf(sizes), isDone: true };
    const { namespace, budget } = next;
    const { rows, bytes } = await store.trim(term, next);
    if (rows === 0) passedOver.add(namespace);
    else trimmed({ namespace, budget, rows });
    sizes.set(namespace, (sizes.get(namespace) ?? 0) - bytes);
  }
  return { bytes: totalOf(sizes), isDone: false };
}
