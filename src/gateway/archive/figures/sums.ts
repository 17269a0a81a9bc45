import { type AliasedRawBuilder, type QueryExecutorProvider, type RawBuilder, sql } from "kysely";
import { type Piece, piecesOf } from "./pieces.ts";
import type { Selected } from "./window.ts";

/** Rows whose sums are kept by hour and day. */
export interface Summed<Sums> {
  rows: "sessions" | "pull_requests";
  sums: "session_sums" | "pull_request_sums";
  /** Column of the sums that says which of the ways a sum is of. */
  way: "grouped_by" | "counted_by";
  /** Each row is summed up in each of these ways. */
  ways: Readonly<Record<string, Way>>;
  /** Columns that the ways need, beside namespace and source. */
  needed: readonly string[];
  /** What one row adds. */
  added: Readonly<Record<keyof Sums & string, RawBuilder<number>>>;
  /** Columns of which the greatest counts; all others are added up. */
  greatest: readonly (keyof Sums & string)[];
}

interface Way {
  /** The instant of a row that says in which hour and day it counts. */
  at: "created_ms" | "merged_ms";
  /** What the rows are grouped by, beside namespace and source; empty where they have none. */
  key: RawBuilder<string>;
  /** Rows that count; left out: all. */
  where?: RawBuilder<boolean>;
}

/** Where sums belong to. */
interface Place {
  /** An instant of the hour or day. */
  ms: number;
  namespace: string;
  source: string;
  key: string;
}

/** Milliseconds of what sums are kept of. */
const spans = { hour: 3_600_000, day: 86_400_000 };

export function oneWhere(condition: RawBuilder<unknown>): RawBuilder<number> {
  return sql`CASE WHEN ${condition} THEN 1 ELSE 0 END`;
}

/**
 * The selected rows in sums, as a table with the wanted columns: of whole days and hours as they are kept, at the edges of
 * each row.
 */
export function sumsOf<Sums, Column extends keyof Sums & string>(
  kind: Summed<Sums>,
  way: string,
  { selected, wanted }: { selected: Selected; wanted: readonly Column[] },
): AliasedRawBuilder<Pick<Sums, Column> & Place, "sums"> {
  const pieces = piecesOf(selected.fromMs, selected.untilMs);
  // A window of nothing has an edge without rows.
  const all: Piece[] = pieces.length > 0 ? pieces : [{ of: "edge", fromMs: 0, untilMs: 0 }];
  const parts = all.map((piece) => {
    const from = { way, selected, piece, wanted };
    return piece.of === "edge" ? ofRows(kind, from) : kept(kind, from);
  });
  return sql<Pick<Sums, Column> & Place>`(${sql.join(parts, sql` UNION ALL `)})`.as("sums");
}

interface From<Sums> {
  way: string;
  selected: Selected;
  piece: Piece;
  wanted: readonly (keyof Sums & string)[];
}

function kept<Sums>(
  { sums, way: column }: Summed<Sums>,
  { way, selected, piece: { of, fromMs, untilMs }, wanted }: From<Sums>,
): RawBuilder<unknown> {
  return sql`SELECT begin_ms AS ms, namespace, source, key, ${refs(wanted)} FROM ${sql.table(sums)}
    WHERE ${sql.ref(column)} = ${way} AND span = ${of} AND begin_ms >= ${fromMs} AND begin_ms < ${untilMs} ${within(selected)}`;
}

function ofRows<Sums>(
  kind: Summed<Sums>,
  { way, selected, piece: { fromMs, untilMs }, wanted }: From<Sums>,
): RawBuilder<unknown> {
  const { at, key, where = sql`TRUE` } = wayOf(kind, way);
  const instant = sql.ref(at);
  return sql`SELECT ${instant} AS ms, namespace, coalesce(source, '') AS source, ${key} AS key, ${ofEach(kind, wanted)}
    FROM ${sql.table(kind.rows)}
    WHERE ${instant} >= ${fromMs} AND ${instant} < ${untilMs} AND ${where} ${within(selected)}`;
}

function wayOf<Sums>({ ways, sums }: Summed<Sums>, name: string): Way {
  const way = ways[name];
  if (!way) throw new Error(`${sums} are not kept by ${name}`);
  return way;
}

function ofEach<Sums>({ added }: Summed<Sums>, wanted: readonly (keyof Sums & string)[]): RawBuilder<unknown> {
  return sql.join(wanted.map((name) => sql`${added[name]} AS ${sql.ref(name)}`));
}

function refs(names: readonly string[]): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql.ref(name)));
}

function within({ namespace, source }: Selected): RawBuilder<unknown> {
  const ofNamespace = namespace === undefined ? sql`` : sql`AND namespace = ${namespace}`;
  return source === undefined ? ofNamespace : sql`${ofNamespace} AND source = ${source}`;
}

/** A sum as a number: exact up to 2^53, and no error beyond it, whatever costs agents have reported. */
export function sumOf(column: string): RawBuilder<number> {
  return sql`CAST(coalesce(sum(${sql.ref(column)}), 0) AS DOUBLE PRECISION)`;
}

/** Adds rows to the sums that are kept, or with -1 takes them away. */
export async function addSums<Sums>(
  db: QueryExecutorProvider,
  kind: Summed<Sums>,
  { sign, where }: { sign: 1 | -1; where: RawBuilder<unknown> },
): Promise<void> {
  const names = Object.keys(kind.added) as (keyof Sums & string)[];
  const columns = refs(names);
  const place = refs([kind.way, "span", "begin_ms", "namespace", "source", "key"]);
  const spread = Object.entries(kind.ways).flatMap(([way, { at, key, where: counts = sql`TRUE` }]) =>
    Object.entries(spans).map(
      ([span, spanMs]) => sql`SELECT ${sql.lit(way)} AS ${sql.ref(kind.way)}, ${sql.lit(span)} AS span,
        ${sql.ref(at)} - ${sql.ref(at)} % ${sql.lit(spanMs)} AS begin_ms, namespace, source, ${key} AS key, ${columns}
        FROM changed WHERE ${counts}`,
    ),
  );
  const isGreatest = (name: keyof Sums & string): boolean => kind.greatest.includes(name);
  const inSum = names.map((name) =>
    isGreatest(name) ? sql`max(${sql.ref(name)})` : sql`${sql.lit(sign)} * sum(${sql.ref(name)})`,
  );
  const together = names.map((name) => {
    const [old, more] = [sql.ref(`${kind.sums}.${name}`), sql.ref(`excluded.${name}`)];
    const sum = isGreatest(name) ? sql`CASE WHEN ${more} > ${old} THEN ${more} ELSE ${old} END` : sql`${old} + ${more}`;
    return sql`${sql.ref(name)} = ${sum}`;
  });
  await sql`
    WITH changed AS (
      SELECT namespace, coalesce(source, '') AS source, ${refs(kind.needed)}, ${ofEach(kind, names)}
      FROM ${sql.table(kind.rows)} WHERE ${where}
    )
    INSERT INTO ${sql.table(kind.sums)} (${place}, ${columns})
    SELECT ${place}, ${sql.join(inSum)} FROM (${sql.join(spread, sql` UNION ALL `)}) AS spread WHERE TRUE GROUP BY ${place}
    ON CONFLICT (${place}) DO UPDATE SET ${sql.join(together)}`.execute(db);
}
