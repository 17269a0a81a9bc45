import { sql } from "kysely";
import type { Clock } from "../../../lib/clock.ts";
import type { Logger } from "../../../telemetry/logger.ts";
import type {
  ArchivedInvocation,
  ArchivedInvocations,
  AutomationIdentity,
  InvocationHistory,
} from "../../automations/invocation-page.ts";
import { withinBudget } from "../../http/budget.ts";
import { ApiError } from "../../http/errors.ts";
import type { FairQueue } from "../../http/fair-queue.ts";
import { byBytes } from "../schema/engine.ts";
import type { Database } from "../open-archive.ts";
import { readArchive, tooManyReads } from "../read-archive.ts";
import type { RunRow } from "../schema/tables.ts";
import { invocationsOf, isCounted } from "./archived-invocation.ts";
import { trimmedHistory } from "./trimmed-history.ts";

interface RunHistoryDeps {
  database: Database;
  clock: Clock;
  logger: Pick<Logger, "error">;
  reads: FairQueue;
}

/** Milliseconds that a page of the cluster's Runs waits for those of the archive. */
const patienceMs = 1_000;

/** Runs of one Automation that the archive has. */
export class RunHistory implements InvocationHistory {
  readonly #deps: RunHistoryDeps;

  constructor(deps: RunHistoryDeps) {
    this.#deps = deps;
  }

  async after(
    automation: AutomationIdentity,
    wanted: Parameters<InvocationHistory["after"]>[1],
  ): Promise<ArchivedInvocations | undefined> {
    const { clock, logger, reads } = this.#deps;
    const sharer = `namespace ${automation.namespace}`;
    try {
      return await withinBudget(clock, patienceMs, (signal) =>
        readArchive(
          reads.run({ sharer, signal, busy: tooManyReads }, async () => ({
            invocations: await this.#read(automation, wanted),
            ...(await trimmedHistory(this.#deps, automation)),
          })),
          { signal, logger },
        ),
      );
    } catch (error) {
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  }

  async #read(
    automation: AutomationIdentity,
    { cursor, limit, isLive }: Parameters<InvocationHistory["after"]>[1],
  ): Promise<ArchivedInvocation[]> {
    const found: RunRow[] = [];
    // The cluster still has many of the newest, so that a page may take more than one query.
    for (let from = cursor; ;) {
      const rows = await this.#rows(automation, { from, limit });
      found.push(...rows.filter(({ uid }) => !isLive(uid)).slice(0, limit - found.length));
      const last = rows.at(-1);
      if (!last || rows.length < limit || found.length === limit) break;
      from = positionOf(last).join(".");
    }
    const shown = await invocationsOf(this.#deps.database, found);
    return shown.map(({ row, invocation }) => ({ position: positionOf(row), invocation }));
  }

  /** A Run names the UID itself, so it counts within the Automation's namespace alone. */
  #rows({ namespace, uid }: AutomationIdentity, { from, limit }: { from: string; limit: number }): Promise<RunRow[]> {
    const { database: db } = this.#deps;
    const name = byBytes(db, "name");
    const all = db
      .selectFrom("runs")
      .selectAll()
      .where("automation_uid", "=", uid)
      .where("namespace", "=", namespace)
      .where(isCounted);
    const [created, accepted, after = ""] = from.split(".");
    const isAfter = sql<boolean>`(created_ms, accepted_ms, ${name}) < (${Number(created)}, ${Number(accepted)}, ${after})`;
    return (from === "" ? all : all.where(isAfter))
      .orderBy("created_ms", "desc")
      .orderBy("accepted_ms", "desc")
      .orderBy(name, "desc")
      .limit(limit)
      .execute();
  }
}

function positionOf({ created_ms, accepted_ms, name }: RunRow): [number, number, string] {
  return [created_ms, accepted_ms, name];
}
