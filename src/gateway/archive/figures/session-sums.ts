import { type AliasedRawBuilder, type QueryExecutorProvider, type RawBuilder, sql } from "kysely";
import { type Grouping, groupings } from "../inputs.ts";
import type { SessionSums } from "../schema/tables.ts";
import { type Piece, piecesOf } from "./pieces.ts";
import type { Selected } from "./window.ts";

export interface GroupedSums extends SessionSums {
  /** An instant of the hour or day in which the sessions were created. */
  ms: number;
  namespace: string;
  /** What they are grouped by; empty where they have none. */
  key: string;
}

const keys: Record<Grouping, RawBuilder<string>> = {
  user: sql`coalesce(requested_by, '')`,
  repository: sql`coalesce(repository, '')`,
  automation: sql`coalesce(automation_uid, '')`,
};

/** Milliseconds of what sums are kept of. */
const spans = { hour: 3_600_000, day: 86_400_000 };

const isIdle = sql`gone_ms IS NULL AND state <> 'active'`;
const isEnded = sql`(gone_ms IS NOT NULL OR state = 'idle')`;

/** What one session adds. */
const added: Record<keyof SessionSums, RawBuilder<number>> = {
  sessions: sql`1`,
  active: oneWhere(sql`gone_ms IS NULL AND state = 'active'`),
  archived: oneWhere(sql`gone_ms IS NOT NULL`),
  completed: oneWhere(sql`outcome = 'completed'`),
  failed: oneWhere(sql`outcome = 'failed'`),
  cancelled: oneWhere(sql`outcome = 'cancelled'`),
  idle_completed: oneWhere(sql`outcome = 'completed' AND ${isIdle}`),
  idle_failed: oneWhere(sql`outcome = 'failed' AND ${isIdle}`),
  idle_cancelled: oneWhere(sql`outcome = 'cancelled' AND ${isIdle}`),
  messages: sql`messages`,
  cost_micro: sql`cost_micro`,
  ended: oneWhere(isEnded),
  ended_after_ms: sql`CASE WHEN ${isEnded} THEN coalesce(idle_ms, gone_ms, created_ms) - created_ms ELSE 0 END`,
  last_ms: sql`coalesce(idle_ms, created_ms)`,
};

export const sumColumns = Object.keys(added) as (keyof SessionSums)[];

function oneWhere(condition: RawBuilder<unknown>): RawBuilder<number> {
  return sql`CASE WHEN ${condition} THEN 1 ELSE 0 END`;
}

/**
 * The selected sessions in sums, as a table with the wanted columns: of whole days and hours as they are kept, at the edges
 * of each session.
 */
export function sumsOf<Column extends keyof SessionSums>(
  by: Grouping,
  selected: Selected,
  wanted: readonly Column[],
): AliasedRawBuilder<Pick<GroupedSums, Column | "ms" | "namespace" | "key">, "sums"> {
  const pieces = piecesOf(selected.fromMs, selected.untilMs);
  // A window of nothing has an edge without sessions.
  const all: Piece[] = pieces.length > 0 ? pieces : [{ of: "edge", fromMs: 0, untilMs: 0 }];
  const parts = all.map((piece) => {
    const from = { by, selected, piece, wanted };
    return piece.of === "edge" ? ofSessions(from) : kept(from);
  });
  return sql<GroupedSums>`(${sql.join(parts, sql` UNION ALL `)})`.as("sums");
}

interface From {
  by: Grouping;
  selected: Selected;
  piece: Piece;
  wanted: readonly (keyof SessionSums)[];
}

function kept({ by, selected, piece: { of, fromMs, untilMs }, wanted }: From): RawBuilder<unknown> {
  return sql`SELECT begin_ms AS ms, namespace, key, ${refs(wanted)} FROM session_sums
    WHERE grouped_by = ${by} AND span = ${of} AND begin_ms >= ${fromMs} AND begin_ms < ${untilMs} ${within(selected)}`;
}

function ofSessions({ by, selected, piece: { fromMs, untilMs }, wanted }: From): RawBuilder<unknown> {
  return sql`SELECT created_ms AS ms, namespace, ${keys[by]} AS key, ${ofEach(wanted)} FROM sessions
    WHERE created_ms >= ${fromMs} AND created_ms < ${untilMs} ${within(selected)}`;
}

function ofEach(wanted: readonly (keyof SessionSums)[]): RawBuilder<unknown> {
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
export function sumOf(column: keyof SessionSums): RawBuilder<number> {
  return sql`CAST(coalesce(sum(${sql.ref(column)}), 0) AS DOUBLE PRECISION)`;
}

/** Adds sessions to the sums that are kept, or with -1 takes them away. */
export async function addSums(
  db: QueryExecutorProvider,
  { sign, where }: { sign: 1 | -1; where: RawBuilder<unknown> },
): Promise<void> {
  const columns = refs(sumColumns);
  const place = sql`grouped_by, span, begin_ms, namespace, source, key`;
  const spread = groupings.flatMap((by) =>
    Object.entries(spans).map(
      ([span, spanMs]) => sql`SELECT ${sql.lit(by)} AS grouped_by, ${sql.lit(span)} AS span,
        created_ms - created_ms % ${sql.lit(spanMs)} AS begin_ms, namespace, source, ${keys[by]} AS key, ${columns} FROM changed`,
    ),
  );
  const inSum = sumColumns.map((name) =>
    name === "last_ms" ? sql`max(last_ms)` : sql`${sql.lit(sign)} * sum(${sql.ref(name)})`,
  );
  const together = sumColumns.map((name) => {
    const [old, more] = [sql.ref(`session_sums.${name}`), sql.ref(`excluded.${name}`)];
    const sum =
      name === "last_ms" ? sql`CASE WHEN ${more} > ${old} THEN ${more} ELSE ${old} END` : sql`${old} + ${more}`;
    return sql`${sql.ref(name)} = ${sum}`;
  });
  await sql`
    WITH changed AS (
      SELECT created_ms, namespace, source, requested_by, repository, automation_uid, ${ofEach(sumColumns)} FROM sessions WHERE ${where}
    )
    INSERT INTO session_sums (${place}, ${columns})
    SELECT ${place}, ${sql.join(inSum)} FROM (${sql.join(spread, sql` UNION ALL `)}) AS spread WHERE TRUE GROUP BY ${place}
    ON CONFLICT (${place}) DO UPDATE SET ${sql.join(together)}`.execute(db);
}
