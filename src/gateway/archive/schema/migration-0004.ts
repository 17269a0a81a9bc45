import type { Kysely } from "kysely";

/** Branches that were pushed, as JSON; rows that are there have none. */
export async function addPushes(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("runs").addColumn("pushes", "text").execute();
}
