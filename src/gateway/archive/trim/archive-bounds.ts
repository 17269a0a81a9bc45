/** What the archive may have, in bytes; undefined: as its volume allows. */
export interface ArchiveBudgets {
  namespace?: number | undefined;
  total?: number | undefined;
}

/** Bounds in whole bytes; Infinity where there is none. */
export interface ArchiveBounds {
  namespace: number;
  total: number;
}

/** The budgets by which rows are deleted. A closed set, since each is a label. */
export const archiveBudgets = ["namespace", "total"] as const;
export type ArchiveBudget = (typeof archiveBudgets)[number];

/** Share of a volume that is kept for sums, for what waits to be written into the file, and for places of deleted rows. */
const keptShare = 0.2;
/** About six million Runs with their sessions. */
const mostOfNamespace = 8 * 1_024 ** 3;

/**
 * The bounds in force. Where nothing is set, all of a volume but a fifth may be used, and a server has no bound; a namespace
 * may have half of that, and at most 8 GiB.
 */
export function archiveBoundsOf(budgets: ArchiveBudgets, volumeBytes: number | undefined): ArchiveBounds {
  const total = budgets.total ?? Math.floor((volumeBytes ?? Infinity) * (1 - keptShare));
  return { namespace: budgets.namespace ?? Math.min(Math.floor(total / 2), mostOfNamespace), total };
}
