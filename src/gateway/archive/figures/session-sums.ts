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
const columns = sql.join(sumColumns.map((name) => sql.ref(name)));

function oneWhere(condition: RawBuilder<unknown>): RawBuilder<number> {
  return sql`CASE WHEN ${condition} THEN 1 ELSE 0 END`;
}

/** The selected sessions in sums, as a table: of whole days and hours as they are kept, at the edges of each session. */
export function sumsOf(by: Grouping, selected: Selected): AliasedRawBuilder<GroupedSums, "sums"> {
  const pieces = piecesOf(selected.fromMs, selected.untilMs);
  // A window of nothing has an edge without sessions.
  const all: Piece[] = pieces.length > 0 ? pieces : [{ of: "edge", fromMs: 0, untilMs: 0 }];
  const parts = all.map((piece) => (piece.of === "edge" ? ofSessions(by, selected, piece) : kept(by, selected, piece)));
  return sql<GroupedSums>`(${sql.join(parts, sql` UNION ALL `)})`.as("sums");
}

function kept(by: Grouping, selected: Selected, { of, fromMs, untilMs }: Piece): RawBuilder<unknown> {
  return sql`SELECT begin_ms AS ms, namespace, key, ${columns} FROM session_sums
    WHERE grouped_by = ${by} AND span = ${of} AND begin_ms >= ${fromMs} AND begin_ms < ${untilMs} ${within(selected)}`;
}

function ofSessions(by: Grouping, selected: Selected, { fromMs, untilMs }: Piece): RawBuilder<unknown> {
  return sql`SELECT created_ms AS ms, namespace, ${keys[by]} AS key, ${ofEach()} FROM sessions
    WHERE created_ms >= ${fromMs} AND created_ms < ${untilMs} ${within(selected)}`;
}

function ofEach(): RawBuilder<unknown> {
  return sql.join(sumColumns.map((name) => sql`${added[name]} AS ${sql.ref(name)}`));
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
      SELECT created_ms, namespace, source, requested_by, repository, automation_uid, ${ofEach()} FROM sessions WHERE ${where}
    )
    INSERT INTO session_sums (${place}, ${columns})
    SELECT ${place}, ${sql.join(inSum)} FROM (${sql.join(spread, sql` UNION ALL `)}) AS spread WHERE TRUE GROUP BY ${place}
    ON CONFLICT (${place}) DO UPDATE SET ${sql.join(together)}`.execute(db);
}
