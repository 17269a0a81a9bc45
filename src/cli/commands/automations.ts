import { Automation } from "../../api/v1alpha1/index.ts";
import { pauseReason } from "../../domain/pauses/pause-status.ts";
import { tallyOf } from "../../domain/pauses/tally.ts";
import { shownAge } from "../output/age.ts";
import { namespaceOf } from "../arguments/name-argument.ts";
import { defineCommand } from "../command.ts";
import { allNamespacesFlag, limitFlag } from "../arguments/common-flags.ts";
import { listedAs, newest } from "../output/listed.ts";
import { textTable } from "../output/table.ts";

export const automations = defineCommand({
  name: "automations",
  summary: "list Automations with their state, newest first",
  details:
    "STATE is Enabled, Degraded (the last Run failed) or Paused. Paused shows its reason: Suspended (by hand) or TooManyFailures (by Runwright).",
  parameters: [],
  flags: {
    ...allNamespacesFlag,
    search: { value: "TEXT", about: "show those with TEXT in their name or display name; case does not matter" },
    ...limitFlag(25),
  },
  formats: ["json", "yaml", "name"],
  examples: ["automations -n demo", "automations -A --search alerts", "automations -A --limit 500 -o name"],
  async run(invocation) {
    const { flags, cluster, clock, io } = invocation;
    const namespace = flags["all-namespaces"] ? undefined : namespaceOf(invocation);
    const { items } = await cluster().client.list<Automation>(Automation, { namespace });
    const found = items.filter((automation) => hasText(automation, flags.search));
    const shown = newest(found, placeOf, { limit: flags.limit, io });
    if (shown.length === 0)
      io.note(`No Automations found${namespace === undefined ? "" : ` in namespace ${namespace}`}`);
    return { text: tableOf(shown, namespace === undefined, clock.now()), ...listedAs(Automation, shown) };
  },
});

function hasText({ metadata, spec }: Automation, search = ""): boolean {
  const text = search.trim().toLowerCase();
  return [metadata.name, spec.displayName].some((name) => name?.toLowerCase().includes(text));
}

function placeOf({ metadata }: Automation): string {
  return `${metadata.creationTimestamp ?? ""} ${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

function tableOf(automations: readonly Automation[], withNamespace: boolean, now: Date): string {
  if (automations.length === 0) return "";
  const rows = automations.map((automation) => {
    const { metadata, spec, status } = automation;
    const row = [
      metadata.name ?? "",
      spec.trigger.type,
      stateOf(automation),
      String(tallyOf(automation).consecutiveFailures),
      String(status?.activeRuns ?? 0),
      status?.lastRun ? `${status.lastRun.reason} ${shownAge(status.lastRun.time, now)} ago` : "",
      status?.nextScheduleTime ?? "",
      shownAge(metadata.creationTimestamp, now),
    ];
    return withNamespace ? [metadata.namespace ?? "", ...row] : row;
  });
  const head = ["NAME", "TRIGGER", "STATE", "FAILURES", "ACTIVE", "LAST RUN", "NEXT", "AGE"];
  return textTable(withNamespace ? ["NAMESPACE", ...head] : head, rows);
}

function stateOf(automation: Automation): string {
  const paused = pauseReason(automation);
  if (paused !== undefined) return `Paused (${paused})`;
  return tallyOf(automation).consecutiveFailures > 0 ? "Degraded" : "Enabled";
}
