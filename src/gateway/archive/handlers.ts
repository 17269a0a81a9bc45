import type { KubeClient } from "../../kube/client.ts";
import { builtIn } from "../../kube/core-resources.ts";
import type { Clock } from "../../lib/clock.ts";
import type { KubeObject } from "../../lib/resource.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { Caller } from "../http/callers.ts";
import { ApiError } from "../http/errors.ts";
import type { FairQueue } from "../http/fair-queue.ts";
import { knownInstant } from "../http/product-words.ts";
import type { HandlersOf } from "../http/router.ts";
import { archivedRuns } from "./lists/archived-runs.ts";
import { archivedSessions } from "./lists/archived-sessions.ts";
import type { Paging } from "./lists/keyset.ts";
import { trimmedHistory } from "./lists/trimmed-history.ts";
import { breakDown } from "./figures/breakdown.ts";
import { pullRequestFigures } from "./figures/pull-requests.ts";
import { RecentAnswers } from "./figures/recent-answers.ts";
import { summarize } from "./figures/summary.ts";
import { seriesOf } from "./figures/timeseries.ts";
import { type Asked, daysTouched, type Selected, selectedBy } from "./figures/window.ts";
import type { Database } from "./open-archive.ts";
import type { archiveOperations } from "./operations.ts";
import { readArchive, tooManyReads } from "./read-archive.ts";

interface HandlersDeps {
  client: Pick<KubeClient, "find">;
  clock: Pick<Clock, "now" | "monotonicMs">;
  logger: Pick<Logger, "error">;
  /** Absent where the release keeps no archive. */
  archive?: { database: Database } | undefined;
  reads: FairQueue;
}

interface Call<Query> {
  caller: Caller;
  query: Query;
  signal: AbortSignal;
}

/** Who asks for what; `signal` is left out where others may wait for the answer, too. */
interface Asking {
  caller: Caller;
  query: { namespace?: string | undefined };
  signal?: AbortSignal | undefined;
}

const namespaces = builtIn<KubeObject>("", "Namespace", "namespaces", false);

/** Handlers of queries to the archive. */
export function archiveHandlers(deps: HandlersDeps): HandlersOf<typeof archiveOperations> {
  const { client, clock, logger, archive, reads } = deps;

  /** The archive, and since when history of the namespace is its own. */
  const opened = async ({ query: { namespace }, signal }: Call<{ namespace?: string | undefined }>) => {
    if (!archive) throw new ApiError("NotFound", "this release keeps no archive; its chart value is archive.mode");
    return { database: archive.database, beginMs: await beginOf(client, namespace, signal) };
  };
  const inLine = <T>({ caller, query, signal }: Asking, work: () => Promise<T>): Promise<T> => {
    const sharer = query.namespace === undefined ? `person ${caller.username}` : `namespace ${query.namespace}`;
    return reads.run({ sharer, signal, busy: tooManyReads }, work);
  };
  const read = async <T>({ signal }: { signal: AbortSignal }, work: Promise<T>): Promise<{ status: 200; body: T }> => {
    return { status: 200, body: await readArchive(work, { signal, logger }) };
  };
  const recent = new RecentAnswers(clock);
  /** Figures as the archive had them at most 10 seconds ago; those of an earlier namespace of the name are others. */
  const figures = async <Query extends Asked, T>(
    kind: string,
    call: Call<Query>,
    ask: (database: Database, window: { selected: Selected; days: number[] }) => Promise<T>,
  ) => {
    const { database, beginMs } = await opened(call);
    const nowMs = clock.now().getTime();
    const window = { selected: selectedBy(call.query, beginMs, nowMs), days: daysTouched(call.query.days, nowMs) };
    return read(
      call,
      recent.get([kind, call.query, beginMs], () =>
        inLine({ ...call, signal: undefined }, () => ask(database, window)),
      ),
    );
  };
  /** A page, and what the namespaces that the caller may list have no more. */
  const list = async <Page>(
    call: Call<Omit<Paging, "beginMs">>,
    pageOf: (database: Database, asked: Paging) => Promise<Page>,
  ) => {
    const { database, beginMs } = await opened(call);
    const asked = { ...call.query, beginMs };
    const work = async () => ({
      ...(await pageOf(database, asked)),
      ...(await trimmedHistory({ database, logger }, asked)),
    });
    return read(call, inLine(call, work));
  };

  return {
    analyticsSummary: (call) => figures("summary", call, (database, { selected }) => summarize(database, selected)),
    analyticsTimeseries: (call) =>
      figures("timeseries", call, (database, window) => seriesOf(database, call.query.by, window)),
    analyticsBreakdown: (call) =>
      figures("breakdown", call, (database, { selected }) =>
        breakDown(database, call.query.by, { selected, limit: call.query.limit }),
      ),
    // Their costs are those of sessions.
    analyticsPullRequests: (call) =>
      figures("pull requests", call, (database, window) =>
        pullRequestFigures(database, { ...window, limit: call.query.limit }),
      ),
    listArchivedRuns: (call) => list(call, archivedRuns),
    listArchivedSessions: (call) => list(call, archivedSessions),
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
