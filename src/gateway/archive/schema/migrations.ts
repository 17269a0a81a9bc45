import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { sumUpAndDivide } from "./migration-0002.ts";
import { addPullRequests } from "./migration-0003.ts";
import { addPushes } from "./migration-0004.ts";
import { addSizes } from "./migration-0005.ts";
import { addTrimmed } from "./migration-0006.ts";

/**
 * Every schema that a release has had, by name and in order. A release's schema is never edited: a change is a migration
 * of its own.
 */
export const migrations: Record<string, Migration> = {
  "0001": { up: createTables },
  "0002": { up: sumUpAndDivide },
  "0003": { up: addPullRequests },
  "0004": { up: addPushes },
  "0005": { up: addSizes },
  "0006": { up: addTrimmed },
};

async function createTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("writer")
    .addColumn("id", "integer", (column) => column.primaryKey())
    .addColumn("term", "bigint", (column) => column.notNull())
    .execute();
  await (db as Kysely<{ writer: { id: number; term: number } }>)
    .insertInto("writer")
    .values({ id: 1, term: 0 })
    .execute();
  await db.schema
    .createTable("runs")
    .addColumn("uid", "text", (column) => column.primaryKey())
    .addColumn("namespace", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("copy_of", "text")
    .addColumn("automation", "text", (column) => column.notNull())
    .addColumn("automation_uid", "text")
    .addColumn("trigger_type", "text", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("reason", "text")
    .addColumn("message", "text")
    .addColumn("delivery_id", "text")
    .addColumn("requested_by", "text")
    .addColumn("created_ms", "bigint", (column) => column.notNull())
    .addColumn("accepted_ms", "bigint", (column) => column.notNull())
    .addColumn("started_ms", "bigint")
    .addColumn("ended_ms", "bigint")
    .addColumn("summary", "text")
    .addColumn("branch", "text")
    .addColumn("commit_id", "text")
    .addColumn("gone_ms", "bigint")
    .execute();
  await db.schema
    .createTable("sessions")
    .addColumn("uid", "text", (column) => column.primaryKey())
    .addColumn("namespace", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("title", "text")
    .addColumn("source", "text", (column) => column.notNull())
    .addColumn("run_uid", "text")
    .addColumn("automation_uid", "text")
    .addColumn("parent_uid", "text")
    .addColumn("requested_by", "text")
    .addColumn("repository", "text")
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("outcome", "text")
    .addColumn("messages", "bigint", (column) => column.notNull())
    .addColumn("cost_micro", "bigint", (column) => column.notNull())
    .addColumn("created_ms", "bigint", (column) => column.notNull())
    .addColumn("idle_ms", "bigint")
    .addColumn("gone_ms", "bigint")
    .execute();
  await db.schema.createIndex("runs_by_creation").on("runs").columns(["namespace", "created_ms", "uid"]).execute();
  await db.schema.createIndex("sessions_by_time").on("sessions").column("created_ms").execute();
  await db.schema
    .createIndex("sessions_by_creation")
    .on("sessions")
    .columns(["namespace", "created_ms", "uid"])
    .execute();
}
