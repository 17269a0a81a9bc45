import type { ArchiveBounds, ArchiveBudget } from "./archive-bounds.ts";

/** A namespace that has more than it may, by how many bytes, and by which budget, of so many bytes. */
export interface Excess {
  namespace: string;
  budget: ArchiveBudget;
  bound: number;
  bytes: number;
}

/**
 * Whose rows are to be deleted next: of a namespace above its budget; or where all have more than they may, of the one that
 * has most. Those that have no row left to delete are passed over. Undefined when there is none.
 */
export function nextToTrim(
  sizes: ReadonlyMap<string, number>,
  bounds: ArchiveBounds,
  passedOver: ReadonlySet<string>,
): Excess | undefined {
  const all = totalOf(sizes);
  let most: { namespace: string; bytes: number } | undefined;
  for (const [namespace, bytes] of sizes) {
    if (passedOver.has(namespace)) continue;
    if (bytes > bounds.namespace) {
      return { namespace, budget: "namespace", bound: bounds.namespace, bytes: bytes - bounds.namespace };
    }
    if (!most || bytes > most.bytes) most = { namespace, bytes };
  }
  if (all <= bounds.total || !most) return undefined;
  return { namespace: most.namespace, budget: "total", bound: bounds.total, bytes: all - bounds.total };
}

export function totalOf(sizes: ReadonlyMap<string, number>): number {
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
}
