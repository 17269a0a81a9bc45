/** A row that may be deleted. */
export interface Candidate<Table extends string> {
  table: Table;
  uid: string;
  createdMs: number;
  bytes: number;
}

/** The oldest of these rows that together have so many bytes, or all; at most `most`. */
export function oldestUntil<Table extends string>(
  candidates: readonly Candidate<Table>[],
  { bytes, most }: { bytes: number; most: number },
): Candidate<Table>[] {
  const chosen: Candidate<Table>[] = [];
  let left = bytes;
  for (const row of candidates.toSorted((one, other) => one.createdMs - other.createdMs)) {
    if (left <= 0 || chosen.length >= most) break;
    chosen.push(row);
    left -= row.bytes;
  }
  return chosen;
}
