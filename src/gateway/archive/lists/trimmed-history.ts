import type { Logger } from "../../../telemetry/logger.ts";
import type { TrimmedHistory } from "../../http/answers.ts";
import type { Database } from "../open-archive.ts";
import { shownTrimmed } from "./shown-trimmed.ts";

/** Namespaces that one answer names. */
const mostNamespaces = 100;

/**
 * What a budget took away of a namespace's history, or of all, since an instant: the latest first; nothing where it took nothing. A
 * list is shown without it where it cannot be read, as while the writer of an earlier release has not made its table.
 */
export async function trimmedHistory(
  { database, logger }: { database: Database; logger: Pick<Logger, "error"> },
  { namespace, beginMs }: { namespace?: string | undefined; beginMs: number },
): Promise<{ trimmed?: TrimmedHistory[] }> {
  const all = database
    .selectFrom("trimmed")
    .leftJoin("sizes", "sizes.namespace", "trimmed.namespace")
    .select(["trimmed.namespace", "newest_ms", "budget", "budget_bytes", "bytes"])
    .where("newest_ms", ">=", beginMs);
  const within = namespace === undefined ? all : all.where("trimmed.namespace", "=", namespace);
  try {
    const rows = await within.orderBy("newest_ms", "desc").limit(mostNamespaces).execute();
    return rows.length === 0 ? {} : { trimmed: rows.map(shownTrimmed) };
  } catch (error) {
    logger.error({ err: error }, "Could not read what budgets took away of the archive");
    return {};
  }
}
