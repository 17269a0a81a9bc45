import type { KubeClient } from "../../kube/client.ts";
import { builtIn } from "../../kube/core-resources.ts";
import type { Clock } from "../../lib/clock.ts";
import type { KubeObject } from "../../lib/resource.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { Callers } from "../http/callers.ts";
import { ApiError } from "../http/errors.ts";
import { knownInstant } from "../http/product-words.ts";
import type { HandlersOf } from "../http/router.ts";
import type { Database } from "./open-archive.ts";
import { type archiveOperations, scopes } from "./operations.ts";
import { summarize } from "./summary.ts";

interface HandlersDeps {
  client: Pick<KubeClient, "find">;
  callers: Pick<Callers, "authorize">;
  clock: Pick<Clock, "now">;
  logger: Pick<Logger, "error">;
  /** Absent where the release keeps no archive. */
  archive?: { database: Database } | undefined;
}

const namespaces = builtIn<KubeObject>("", "Namespace", "namespaces", false);
const dayMs = 86_400_000;

/** Handlers of queries to the archive. Each authorizes the caller before it reads anything. */
export function archiveHandlers({
  client,
  callers,
  clock,
  logger,
  archive,
}: HandlersDeps): HandlersOf<typeof archiveOperations> {
  return {
    async analyticsSummary({ caller, query, signal }) {
      const { namespace, days, scope } = query;
      await callers.authorize(caller, { verb: "list", resource: "sessions", namespace }, signal);
      if (!archive) throw new ApiError("NotFound", "this release keeps no archive; its chart value is archive.mode");
      const untilMs = clock.now().getTime();
      const fromMs = Math.max(untilMs - days * dayMs, await beginOf(client, namespace, signal));
      const source = scope === "all" ? undefined : scopes[scope];
      try {
        return { status: 200, body: await summarize(archive.database, { namespace, fromMs, untilMs, source }) };
      } catch (error) {
        logger.error({ err: error }, "Could not read the archive");
        throw new ApiError("Unavailable", "the archive cannot be read now; try again");
      }
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
