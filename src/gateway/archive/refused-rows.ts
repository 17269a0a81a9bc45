import type { Batch } from "./archive-store.ts";
import { type ArchivedTable, archivedTables } from "./schema/tables.ts";

type Row = Batch["runs"][number] | Batch["sessions"][number] | NonNullable<Batch["pullRequests"]>[number];

/** A row and the table that it is of. */
export interface Placed {
  table: ArchivedTable;
  row: Row;
}

/** Classes of PostgreSQL's states: what data cannot be, constraints, and limits of the program such as an index entry's size. */
const refusingStates = /^(?:22|23|54)/;
/** Result codes of SQLite: too big, constraint, mismatch, range. */
const refusingCodes = [18, 19, 20, 25];

/** Whether a database says that it will never take what was to be written, rather than that it cannot write now. */
export function isRefusedRow(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  // An extended code of SQLite's has the code in its last byte.
  if ("errcode" in error && typeof error.errcode === "number") return refusingCodes.includes(error.errcode & 0xff);
  return "code" in error && typeof error.code === "string" && /^[0-9A-Z]{5}$/.test(error.code)
    ? refusingStates.test(error.code)
    : false;
}

/** The row of a batch that has no other. */
export function onlyRowOf(batch: Batch): Placed | undefined {
  const all = placedRows(batch);
  return all.length === 1 ? all[0] : undefined;
}

/** Both halves of a batch of several rows. */
export function halvesOf(batch: Batch): [Batch, Batch] {
  const all = placedRows(batch);
  const middle = Math.ceil(all.length / 2);
  return [batchOf(all.slice(0, middle)), batchOf(all.slice(middle))];
}

function placedRows({ runs, sessions, pullRequests = [] }: Batch): Placed[] {
  const rows: Record<ArchivedTable, readonly Row[]> = { runs, sessions, pull_requests: pullRequests };
  return archivedTables.flatMap((table) => rows[table].map((row) => ({ table, row })));
}

function batchOf(placed: readonly Placed[]): Batch {
  // The table says which kind of row it is.
  const of = (wanted: ArchivedTable): unknown => placed.filter(({ table }) => table === wanted).map(({ row }) => row);
  return { runs: of("runs"), sessions: of("sessions"), pullRequests: of("pull_requests") } as Batch;
}
