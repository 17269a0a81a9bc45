import type { KubeClient } from "../../kube/client.ts";
import { builtIn } from "../../kube/core-resources.ts";
import type { Clock } from "../../lib/clock.ts";
import type { KubeObject } from "../../lib/resource.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { Caller, Callers } from "../http/callers.ts";
import { ApiError } from "../http/errors.ts";
import { knownInstant } from "../http/product-words.ts";
import type { HandlersOf } from "../http/router.ts";
import { archivedRuns } from "./lists/archived-runs.ts";
import { archivedSessions } from "./lists/archived-sessions.ts";
import { breakDown } from "./figures/breakdown.ts";
import { summarize } from "./figures/summary.ts";
import { seriesOf } from "./figures/timeseries.ts";
import { type Asked, daysTouched, selectedBy } from "./figures/window.ts";
import type { Database } from "./open-archive.ts";
import type { archiveOperations } from "./operations.ts";
import { readArchive } from "./read-archive.ts";

interface HandlersDeps {
  client: Pick<KubeClient, "find">;
  callers: Pick<Callers, "authorize">;
  clock: Pick<Clock, "now">;
  logger: Pick<Logger, "error">;
  /** Absent where the release keeps no archive. */
  archive?: { database: Database } | undefined;
}

interface Call<Query> {
  caller: Caller;
  query: Query;
  signal: AbortSignal;
}

const namespaces = builtIn<KubeObject>("", "Namespace", "namespaces", false);

/** Handlers of queries to the archive. Each authorizes the caller before it reads anything. */
export function archiveHandlers(deps: HandlersDeps): HandlersOf<typeof archiveOperations> {
  const { client, callers, clock, logger, archive } = deps;

  /** Authorizes, and gives the archive and since when history of the namespace is its own. */
  const opened = async (
    { caller, query: { namespace }, signal }: Call<{ namespace?: string | undefined }>,
    resource: "runs" | "sessions",
  ) => {
    await callers.authorize(caller, { verb: "list", resource, namespace }, signal);
    if (!archive) throw new ApiError("NotFound", "this release keeps no archive; its chart value is archive.mode");
    return { database: archive.database, beginMs: await beginOf(client, namespace, signal) };
  };
  const read = async <T>({ signal }: { signal: AbortSignal }, work: Promise<T>): Promise<{ status: 200; body: T }> => {
    return { status: 200, body: await readArchive(work, { signal, logger }) };
  };
  const figures = async <Query extends Asked>(call: Call<Query>) => {
    const { database, beginMs } = await opened(call, "sessions");
    const nowMs = clock.now().getTime();
    return { database, selected: selectedBy(call.query, beginMs, nowMs), days: daysTouched(call.query.days, nowMs) };
  };

  return {
    async analyticsSummary(call) {
      const { database, selected } = await figures(call);
      return read(call, summarize(database, selected));
    },
    async analyticsTimeseries(call) {
      const { database, selected, days } = await figures(call);
      return read(call, seriesOf(database, call.query.by, { selected, days }));
    },
    async analyticsBreakdown(call) {
      const { database, selected } = await figures(call);
      return read(call, breakDown(database, call.query.by, { selected, limit: call.query.limit }));
    },
    async listArchivedRuns(call) {
      const { database, beginMs } = await opened(call, "runs");
      return read(call, archivedRuns(database, { ...call.query, beginMs }));
    },
    async listArchivedSessions(call) {
      const { database, beginMs } = await opened(call, "sessions");
      return read(call, archivedSessions(database, { ...call.query, beginMs }));
    },
  };
}

/**
 * From when on history of a namespace is its own: an earlier one of the same name may have belonged to others.
 * @throws ApiError when there is no such namespace
 */
async function beginOf(
  client: Pick<KubeClient, "find">,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<number> {
  if (namespace === undefined) return 0;
  const found = await client.find(namespaces, { name: namespace }, { signal });
  if (!found) throw new ApiError("NotFound", `there is no namespace ${namespace}`);
  return knownInstant(found.metadata.creationTimestamp);
}
