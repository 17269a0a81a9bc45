import { sql, type Transaction } from "kysely";
import type { Tables } from "../schema/tables.ts";
import { addSums, type Summed } from "./sums.ts";

/** About how many rows one statement sums up: a server ends one that takes half a minute. */
const summedAtOnce = 20_000;

/**
 * Sums up all rows of a kind whose sums are empty, as after a migration, in statements of about `atOnce` rows; those of one instant are
 * in one. Rejects with the engine's own error.
 */
export async function sumUp<Sums>(
  transaction: Transaction<Tables>,
  kind: Summed<Sums>,
  atOnce = summedAtOnce,
): Promise<void> {
  let afterMs = -1;
  for (;;) {
    const last = await transaction
      .selectFrom(kind.rows)
      .select("created_ms")
      .where("created_ms", ">", afterMs)
      .orderBy("created_ms")
      .offset(atOnce - 1)
      .limit(1)
      .executeTakeFirst();
    const until = last ? sql`created_ms <= ${last.created_ms}` : sql`TRUE`;
    await addSums(transaction, kind, { sign: 1, where: sql`created_ms > ${afterMs} AND ${until}` });
    if (!last) return;
    afterMs = last.created_ms;
  }
}
