import { type Automation, reasons, Run } from "../../api/v1alpha1/index.ts";
import { branchesInShort } from "../../domain/prompts/pushed-branches.ts";
import { automationUidOf } from "../../domain/runs/automation-uid.ts";
import { acceptedAt, causeOf, isSettled, stateOf, succeededOf } from "../../domain/runs/run-state.ts";
import { shownDuration } from "../../lib/shown-duration.ts";
import { shownAge } from "../output/age.ts";
import { nameArgument } from "../arguments/name-argument.ts";
import { duration } from "../arguments/value-types.ts";
import { existingAutomation } from "../cluster/existing-objects.ts";
import { keyText } from "../../lib/resource.ts";
import { defineCommand } from "../command.ts";
import { limitFlag } from "../arguments/common-flags.ts";
import { listedAs, newest } from "../output/listed.ts";
import { textTable } from "../output/table.ts";
import { runsSince } from "./runs-since.ts";
import type { Cluster } from "../cluster/cluster.ts";

/** Each Run of a page may carry 64 KB of payload until it is dropped. */
const pageSize = 100;

export const runs = defineCommand({
  name: "runs",
  summary: "list the latest Runs of an Automation, and how each ended",
  details:
    "Payloads and idempotency keys are left out in every format. To see those of one Run: kubectl get run NAME -o yaml",
  parameters: ["AUTOMATION"],
  flags: {
    ...limitFlag(20),
    since: {
      value: "DURATION",
      type: duration,
      about: "those made within this time, such as 90d, also those that only the archive has; asks the gateway",
    },
  },
  formats: ["json", "yaml", "name"],
  examples: [
    "runs demo/triage-alerts",
    "runs triage-alerts -n demo --limit 5 -o yaml",
    "runs demo/triage-alerts --since 90d --limit 500",
  ],
  async run(invocation) {
    const { flags, cluster, clock, io } = invocation;
    const id = nameArgument("Automation", invocation);
    const { since, limit } = flags;
    if (since !== undefined) return runsSince(invocation, id, { since, limit });
    const found = await runsOf(cluster(), await existingAutomation(cluster(), id));
    const shown = newest(found, placeOf, { limit, io });
    if (shown.length === 0) io.note(`Automation ${keyText(id)} has no Runs`);
    return { text: tableOf(shown, clock.now()), ...listedAs(Run, shown) };
  },
});

/** All Runs of an Automation, also those that the controller has not seen yet. */
async function runsOf({ client }: Pick<Cluster, "client">, { metadata }: Automation): Promise<Run[]> {
  const { items } = await client.list<Run>(Run, {
    namespace: metadata.namespace,
    limit: pageSize,
    transform: withoutPayload,
  });
  return items.filter((run) => {
    const uid = automationUidOf(run) ?? metadata.uid;
    return run.spec.automationRef.name === metadata.name && uid === metadata.uid;
  });
}

function withoutPayload(run: Run): Run {
  const { trigger } = run.spec;
  delete trigger.payload;
  delete trigger.idempotencyKey;
  return run;
}

function placeOf(run: Run): string {
  return [run.metadata.creationTimestamp, new Date(acceptedAt(run)).toISOString(), run.metadata.name].join(" ");
}

function tableOf(runs: readonly Run[], now: Date): string {
  if (runs.length === 0) return "";
  const rows = runs.map((run) => [
    run.metadata.name ?? "",
    run.spec.trigger.type,
    shownVerdict(run),
    shownReason(run),
    `${shownAge(acceptedAt(run), now)} ago`,
    shownLength(run, now),
    branchesInShort(run.status?.result),
    isSettled(run) ? (succeededOf(run)?.message ?? "") : "",
  ]);
  return textTable(["NAME", "TRIGGER", "VERDICT", "REASON", "WHEN", "DURATION", "BRANCH", "MESSAGE"], rows);
}

function shownVerdict(run: Run): string {
  if (!isSettled(run)) return stateOf(run);
  if (succeededOf(run)?.status === "True") return reasons.completed;
  const state = stateOf(run);
  return state === reasons.skipped || state === reasons.partiallyFailed ? state : reasons.failed;
}

/** Why it did not succeed. */
function shownReason(run: Run): string {
  if (!isSettled(run) || succeededOf(run)?.status === "True") return "";
  return causeOf(run) ?? stateOf(run);
}

function shownLength({ status }: Run, now: Date): string {
  if (status?.startTime === undefined) return "";
  const endMs = status.completionTime === undefined ? now.getTime() : Date.parse(status.completionTime);
  return shownDuration(endMs - Date.parse(status.startTime));
}
