import { type Kysely, sql } from "kysely";
import { byBytes, isPostgresql } from "./engine.ts";
import { attach, monthOf, nameBefore } from "./months.ts";
import { createSumsTable } from "./sums-table.ts";

/** Sums of sessions by hour and day, indexes for lists, and in PostgreSQL a partition for each month. */
export async function sumUpAndDivide(db: Kysely<unknown>): Promise<void> {
  if (isPostgresql(db)) for (const table of ["runs", "sessions"] as const) await divide(db, table);
  else
    for (const names of Object.values(oldIndexes)) for (const name of names) await db.schema.dropIndex(name).execute();
  await createIndexes(db);
  await createSumsTable(db, { name: "session_sums", way: "grouped_by", sums });
}

const oldIndexes = { runs: ["runs_by_creation"], sessions: ["sessions_by_time", "sessions_by_creation"] };

/** Makes the table one of months. The rows that it has stay where they are, in a partition of their own. */
async function divide(db: Kysely<unknown>, table: keyof typeof oldIndexes): Promise<void> {
  const before = `${table}_before`;
  await sql`ALTER TABLE ${sql.table(table)} DROP CONSTRAINT ${sql.ref(`${table}_pkey`)}`.execute(db);
  await sql`ALTER TABLE ${sql.table(table)} ALTER COLUMN uid SET NOT NULL`.execute(db);
  await sql`ALTER TABLE ${sql.table(table)} RENAME TO ${sql.table(before)}`.execute(db);
  for (const name of oldIndexes[table]) {
    await sql`ALTER INDEX ${sql.ref(name)} RENAME TO ${sql.ref(`${name}_before`)}`.execute(db);
  }
  await sql`CREATE TABLE ${sql.table(table)} (LIKE ${sql.table(before)}, PRIMARY KEY (uid, created_ms))
    PARTITION BY RANGE (created_ms)`.execute(db);
  const { rows } = await sql<{ last: number | null }>`
    SELECT max(created_ms) AS last FROM ${sql.table(before)}`.execute(db);
  const last = rows[0]?.last ?? null;
  if (last === null) {
    await sql`DROP TABLE ${sql.table(before)}`.execute(db);
    return;
  }
  const next = monthOf(monthOf(last).untilMs);
  const name = nameBefore(table, next);
  await sql`ALTER TABLE ${sql.table(before)} RENAME TO ${sql.table(name)}`.execute(db);
  await attach(db, table, { name, from: sql`MINVALUE`, untilMs: next.fromMs });
}

async function createIndexes(db: Kysely<unknown>): Promise<void> {
  for (const table of ["runs", "sessions"]) {
    const index = (name: string) => db.schema.createIndex(`${table}_${name}`).on(table);
    await index("by_time").columns(["created_ms", "uid"]).execute();
    await index("by_creation").columns(["namespace", "created_ms", "uid"]).execute();
    await index("there").column("uid").where(sql.ref("gone_ms"), "is", null).execute();
  }
  const newestLast = sql`automation_uid, created_ms, accepted_ms, ${byBytes(db, "name")}`;
  await sql`CREATE INDEX runs_of_automation ON runs (${newestLast})`.execute(db);
  await db.schema
    .createIndex("runs_copies")
    .on("runs")
    .column("copy_of")
    .where(sql.ref("copy_of"), "is not", null)
    .execute();
  await db.schema
    .createIndex("sessions_of_run")
    .on("sessions")
    .column("run_uid")
    .where(sql.ref("run_uid"), "is not", null)
    .execute();
}

const sums = [
  "sessions",
  "active",
  "archived",
  "completed",
  "failed",
  "cancelled",
  "idle_completed",
  "idle_failed",
  "idle_cancelled",
  "messages",
  "cost_micro",
  "ended",
  "ended_after_ms",
  "last_ms",
];
