import type { z } from "zod";
import type { ArchivedRunPage } from "../answers.ts";
import type { Database } from "../open-archive.ts";
import { invocationsOf, isCounted } from "./archived-invocation.ts";
import { isAfter, paged, type Paging } from "./keyset.ts";

/** A page of Runs, newest first. Rejects with the engine's own error. */
export async function archivedRuns(
  db: Database,
  { namespace, limit, cursor = "", beginMs }: Paging,
): Promise<z.output<typeof ArchivedRunPage>> {
  const all = db.selectFrom("runs").selectAll().where("created_ms", ">=", beginMs).where(isCounted);
  const within = namespace === undefined ? all : all.where("namespace", "=", namespace);
  const rows = await (cursor === "" ? within : within.where(isAfter(cursor)))
    .orderBy("created_ms", "desc")
    .orderBy("uid", "desc")
    .limit(limit + 1)
    .execute();
  const { page, ...rest } = paged(rows, limit);
  return { invocations: (await invocationsOf(db, page)).map(({ invocation }) => invocation), ...rest };
}
