import { sql, type Transaction } from "kysely";
import type { Tables } from "./schema/tables.ts";
import type { Excess } from "./trim/next-to-trim.ts";

/** Notes up to where a namespace's history was taken away, and by which budget. Such a place never moves back. */
export async function noteTrimmed(
  transaction: Transaction<Tables>,
  { namespace, budget, bound }: Excess,
  newestMs: number,
): Promise<void> {
  await transaction
    .insertInto("trimmed")
    .values({ namespace, newest_ms: newestMs, budget, budget_bytes: bound })
    .onConflict((conflict) =>
      conflict.column("namespace").doUpdateSet((eb) => ({
        newest_ms: sql<number>`CASE WHEN excluded.newest_ms > trimmed.newest_ms THEN excluded.newest_ms ELSE trimmed.newest_ms END`,
        budget: eb.ref("excluded.budget"),
        budget_bytes: eb.ref("excluded.budget_bytes"),
      })),
    )
    .execute();
}

/** Forgets what was taken away of history that would have been too old by now. */
export async function forgetTrimmed(transaction: Transaction<Tables>, createdBeforeMs: number): Promise<void> {
  await transaction.deleteFrom("trimmed").where("newest_ms", "<", createdBeforeMs).execute();
}
