import type { z } from "zod";
import { amountOf } from "../../../domain/costs/amount.ts";
import { namespacedNameText } from "../../../lib/namespaced-name.ts";
import type { ArchivedSession, ArchivedSessionPage } from "../answers.ts";
import { scopes } from "../inputs.ts";
import type { Database } from "../open-archive.ts";
import type { SessionRow } from "../schema/tables.ts";
import { isAfter, paged, type Paging } from "./keyset.ts";

/** A page of Sessions, newest first. Rejects with the engine's own error. */
export async function archivedSessions(
  db: Database,
  { namespace, limit, cursor = "", beginMs }: Paging,
): Promise<z.output<typeof ArchivedSessionPage>> {
  const all = db.selectFrom("sessions").selectAll().where("created_ms", ">=", beginMs);
  const within = namespace === undefined ? all : all.where("namespace", "=", namespace);
  const rows = await (cursor === "" ? within : within.where(isAfter(cursor)))
    .orderBy("created_ms", "desc")
    .orderBy("uid", "desc")
    .limit(limit + 1)
    .execute();
  const { page, ...rest } = paged(rows, limit);
  return { sessions: page.map(shownSession), ...rest };
}

type Words = keyof typeof scopes;
const wordsOfSources = Object.fromEntries(Object.entries(scopes).map(([word, source]) => [source, word as Words]));

function shownSession(row: SessionRow): ArchivedSession {
  const outcome = row.outcome as ArchivedSession["outcome"];
  const status = row.gone_ms !== null ? "archived" : row.state === "active" ? "active" : (outcome ?? "created");
  return {
    id: namespacedNameText(row),
    namespace: row.namespace,
    name: row.title ?? row.name,
    startedBy: wordsOfSources[row.source] ?? "people",
    status,
    outcome,
    requestedBy: row.requested_by,
    repository: row.repository,
    messageCount: row.messages,
    costUsd: amountOf(BigInt(row.cost_micro)),
    createdAt: row.created_ms,
    idleAt: row.idle_ms,
    goneAt: row.gone_ms,
  };
}
