import { type QueryExecutorProvider, sql } from "kysely";

/** A month of rows: those that were created in it, UTC. */
export interface Month {
  fromMs: number;
  untilMs: number;
  /** Such as `2026_03`. */
  name: string;
}

export function monthOf(ms: number): Month {
  const date = new Date(ms);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const name = date.toISOString().slice(0, 7).replace("-", "_");
  return { fromMs: Date.UTC(year, month), untilMs: Date.UTC(year, month + 1), name };
}

/** A partition of PostgreSQL. */
export interface Partition {
  name: string;
  /** The first instant that is after all its rows. */
  untilMs: number;
}

/** Partitions of a table, by their names: `runs_2026_03` is a month, `runs_before_2026_03` all until then. */
export async function partitionsOf(db: QueryExecutorProvider, table: string): Promise<Partition[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
    WHERE inhparent = to_regclass(${table})`.execute(db);
  return rows.map(({ name }) => {
    const firstDay = Date.parse(`${name.slice(-7).replace("_", "-")}-01`);
    return { name, untilMs: isBefore(table, name) ? firstDay : monthOf(firstDay).untilMs };
  });
}

/** The partition that takes all rows until a month. */
export function nameBefore(table: string, { name }: Month): string {
  return `${table}_before_${name}`;
}

function isBefore(table: string, name: string): boolean {
  return name.startsWith(`${table}_before_`);
}

/** Makes the partitions that these rows need and that are not there. */
export async function ensureMonths(
  db: QueryExecutorProvider,
  table: string,
  rows: readonly { created_ms: number }[],
): Promise<void> {
  const there = await partitionsOf(db, table);
  const before = there.find(({ name }) => isBefore(table, name))?.untilMs ?? -Infinity;
  const wanted = new Map(rows.map(({ created_ms }) => [monthOf(created_ms).name, monthOf(created_ms)]));
  for (const month of wanted.values()) {
    const name = `${table}_${month.name}`;
    if (month.untilMs <= before || there.some((partition) => partition.name === name)) continue;
    // Attaching, unlike creating as a partition, does not wait for a dump of the table to end.
    await sql`CREATE TABLE ${sql.table(name)} (LIKE ${sql.table(table)})`.execute(db);
    await attach(db, table, { name, from: sql.lit(month.fromMs), untilMs: month.untilMs });
  }
}

export async function attach(
  db: QueryExecutorProvider,
  table: string,
  { name, from, untilMs }: { name: string; from: ReturnType<typeof sql>; untilMs: number },
): Promise<void> {
  await sql`ALTER TABLE ${sql.table(table)} ATTACH PARTITION ${sql.table(name)}
    FOR VALUES FROM (${from}) TO (${sql.lit(untilMs)})`.execute(db);
}
