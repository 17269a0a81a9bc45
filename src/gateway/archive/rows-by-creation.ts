import { type RawBuilder, sql, type Transaction } from "kysely";
import type { ArchivedTable, Tables } from "./schema/tables.ts";

/** About how many rows one statement reads: a server ends one that takes half a minute. */
const rowsAtOnce = 20_000;

/**
 * Gives conditions for all rows of a table one after another, each of about `atOnce` rows; those of one instant are in one.
 * Rejects with the engine's own error, and with what `work` rejects with.
 */
export async function byCreation(
  transaction: Transaction<Tables>,
  table: ArchivedTable,
  { work, atOnce = rowsAtOnce }: { work: (where: RawBuilder<unknown>) => Promise<void>; atOnce?: number | undefined },
): Promise<void> {
  let afterMs = -1;
  for (;;) {
    const last = await transaction
      .selectFrom(table)
      .select("created_ms")
      .where("created_ms", ">", afterMs)
      .orderBy("created_ms")
      .offset(atOnce - 1)
      .limit(1)
      .executeTakeFirst();
    const until = last ? sql`created_ms <= ${last.created_ms}` : sql`TRUE`;
    await work(sql`created_ms > ${afterMs} AND ${until}`);
    if (!last) return;
    afterMs = last.created_ms;
  }
}
