import { type Kysely, sql } from "kysely";
import { isPostgresql } from "./engine.ts";
import { createSumsTable } from "./sums-table.ts";

/** Pull requests and their sums, in PostgreSQL with a partition for each month. */
export async function addPullRequests(db: Kysely<unknown>): Promise<void> {
  const table = db.schema
    .createTable("pull_requests")
    .addColumn("uid", "text", (column) => column.notNull())
    .addColumn("namespace", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("session_uid", "text", (column) => column.notNull())
    .addColumn("source", "text")
    .addColumn("repository", "text", (column) => column.notNull())
    .addColumn("full_name", "text", (column) => column.notNull())
    .addColumn("number", "bigint")
    .addColumn("state", "text")
    .addColumn("cost_micro", "bigint")
    .addColumn("created_ms", "bigint", (column) => column.notNull())
    .addColumn("merged_ms", "bigint")
    .addColumn("gone_ms", "bigint");
  await (
    isPostgresql(db)
      ? table
          .addPrimaryKeyConstraint("pull_requests_pkey", ["uid", "created_ms"])
          .modifyEnd(sql`PARTITION BY RANGE (created_ms)`)
      : table.addPrimaryKeyConstraint("pull_requests_pkey", ["uid"])
  ).execute();
  await createIndexes(db);
  await createSumsTable(db, { name: "pull_request_sums", way: "counted_by", sums });
}

/** For edges of windows, by creation and by merge; for what is open now; and for rows whose object is there. */
async function createIndexes(db: Kysely<unknown>): Promise<void> {
  const index = (name: string) => db.schema.createIndex(`pull_requests_${name}`).on("pull_requests");
  await index("by_time").columns(["created_ms", "uid"]).execute();
  await index("by_creation").columns(["namespace", "created_ms", "uid"]).execute();
  const isMerged = [sql.ref("merged_ms"), "is not", null] as const;
  await index("by_merge")
    .column("merged_ms")
    .where(...isMerged)
    .execute();
  await index("merged")
    .columns(["namespace", "merged_ms"])
    .where(...isMerged)
    .execute();
  await index("there").column("uid").where(sql.ref("gone_ms"), "is", null).execute();
  await sql`CREATE INDEX pull_requests_open ON pull_requests (state, namespace)
    WHERE gone_ms IS NULL AND state IN ('draft', 'open')`.execute(db);
}

const sums = ["pull_requests", "draft", "open", "merged", "closed", "cost_micro", "merged_after_ms"];
