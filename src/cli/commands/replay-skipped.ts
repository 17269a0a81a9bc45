import { labels, Run } from "../../api/v1alpha1/index.ts";
import { payloadKey } from "../../domain/deliveries/payload.ts";
import { isSkipped } from "../../domain/runs/run-state.ts";
import { skippedBefore } from "../../domain/runs/skipped-run.ts";
import { nameHolder } from "../../kube/name-holder.ts";
import type { FlagValues } from "../arguments/flag.ts";
import { nameArgument } from "../arguments/name-argument.ts";
import type { Duration } from "../arguments/value-types.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { existingAutomation } from "../cluster/existing-objects.ts";
import type { Invocation } from "../command.ts";
import { listedAs } from "../output/listed.ts";
import type { Printable } from "../output/printable.ts";
import { textTable } from "../output/table.ts";
import { keyOf } from "../../lib/resource.ts";
import { replayRun } from "./replay-deliveries.ts";

type Flags = FlagValues<{ "ignore-filters": { about: string } }>;

/**
 * Replays the deliveries of an Automation whose Runs were skipped within a time, the oldest first, each under its sender's
 * idempotency key, or one of its own that is always the same; so nothing starts twice. The first failure ends it.
 */
export async function replaySkipped(
  invocation: Omit<Invocation, "flags"> & { flags: Flags },
  since: Duration,
): Promise<Printable> {
  const { clock, cluster, flags, io, random } = invocation;
  const { client } = cluster();
  const id = nameArgument("Automation", invocation);
  const automation = await existingAutomation(cluster(), id);
  const sinceMs = clock.now().getTime() - since.ms;
  const skipped = await skippedRuns(client, id.namespace, { automationUid: automation.metadata.uid ?? "", sinceMs });
  if (skipped.length === 0) io.note(`No delivery of ${id.namespace}/${id.name} was skipped within ${since.text}`);
  const made: Run[] = [];
  const rows: string[][] = [];
  for (const one of skipped) {
    const { deliveryID: deliveryId = "", payload = "" } = one.spec.trigger;
    const idempotencyKey = repeatableKey(one);
    const options = { deliveryId, idempotencyKey, now: clock.now(), random, ignoreFilters: flags["ignore-filters"] };
    const run = replayRun(automation, { automationName: id.name, payload }, options);
    const stored = await createOnce(client, run);
    if (stored) made.push(stored);
    rows.push([deliveryId, keyOf(run).name, stored ? "created" : "was there already"]);
  }
  return { text: rows.length === 0 ? "" : textTable(["DELIVERY", "RUN", "OUTCOME"], rows), ...listedAs(Run, made) };
}

/** The sender's key, or one that is the same each time. */
function repeatableKey(run: Run): string {
  const { idempotencyKey, payload, deliveryID = "" } = run.spec.trigger;
  const given = idempotencyKey ?? skippedBefore(run)?.idempotencyKey ?? payloadKey(payload);
  return given ?? `replay of ${deliveryID}`;
}

/** Undefined where there is a Run of this name. */
async function createOnce(client: Cluster["client"], run: Run): Promise<Run | undefined> {
  try {
    return await client.create(Run, run);
  } catch (error) {
    if (await nameHolder<Run>(client, Run, { object: run, error })) return undefined;
    throw error;
  }
}

/** Runs of deliveries that ended without having started and still have their payload, the oldest first. */
async function skippedRuns(
  client: Cluster["client"],
  namespace: string,
  { automationUid, sinceMs }: { automationUid: string; sinceMs: number },
): Promise<Run[]> {
  const labelSelector = `${labels.automationUid}=${automationUid}`;
  const { items } = await client.list<Run>(Run, { namespace, labelSelector });
  const endedMs = ({ status }: Run): number => Date.parse(status?.completionTime ?? "");
  return items
    .filter((run) => isSkipped(run) && run.spec.trigger.type === "Webhook" && run.spec.trigger.payload !== undefined)
    .filter((run) => endedMs(run) >= sinceMs)
    .sort((one, other) => Date.parse(one.spec.trigger.time ?? "") - Date.parse(other.spec.trigger.time ?? ""));
}
