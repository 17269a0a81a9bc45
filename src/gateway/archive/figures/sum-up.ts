import type { Transaction } from "kysely";
import { byCreation } from "../rows-by-creation.ts";
import type { Tables } from "../schema/tables.ts";
import { addSums, type Summed } from "./sums.ts";

/**
 * Sums up all rows of a kind whose sums are empty, as after a migration, in statements of about `atOnce` rows; those of one instant are
 * in one. Rejects with the engine's own error.
 */
export async function sumUp<Sums>(
  transaction: Transaction<Tables>,
  kind: Summed<Sums>,
  atOnce?: number,
): Promise<void> {
  const work = (where: Parameters<typeof addSums>[2]["where"]) => addSums(transaction, kind, { sign: 1, where });
  await byCreation(transaction, kind.rows, { work, atOnce });
}
