import { Automation, conditionTypes, reasons } from "../../api/v1alpha1/index.ts";
import { findCondition } from "../../domain/conditions.ts";
import { pauseReason } from "../../domain/pauses/pause-status.ts";
import { resumePatch } from "../../domain/pauses/pause-patch.ts";
import { keyOf, keyText } from "../../lib/resource.ts";
import { shownAge } from "../output/age.ts";
import { namespaceOf } from "../arguments/name-argument.ts";
import { CliError } from "../cli-error.ts";
import type { FlagValues } from "../arguments/flag.ts";
import type { Invocation } from "../command.ts";
import { explainFailure } from "../output/explain-failure.ts";
import type { Duration } from "../arguments/value-types.ts";
import { listedAs } from "../output/listed.ts";
import type { Printable } from "../output/printable.ts";
import { textTable } from "../output/table.ts";

type ResumeFlags = FlagValues<{
  "all-namespaces": { about: string };
  "dry-run": { about: string };
  yes: { about: string };
}>;

/** Resumes all Automations that failures paused within a time; one that fails does not stop the others. */
export async function resumeMany(
  invocation: Omit<Invocation, "flags"> & { flags: ResumeFlags },
  pausedSince: Duration,
): Promise<Printable> {
  const { flags, io, clock, cluster } = invocation;
  const sinceMs = clock.now().getTime() - pausedSince.ms;
  const namespace = flags["all-namespaces"] ? undefined : namespaceOf(invocation);
  const { items } = await cluster().client.list<Automation>(Automation, { namespace });
  const found = items.filter((automation) => pausedAtMs(automation) >= sinceMs);
  const where = namespace === undefined ? "in all namespaces" : `in namespace ${namespace}`;
  if (found.length === 0) {
    io.note(`No Automation ${where} was paused by failures within ${pausedSince.text}`);
    return { text: "", ...listedAs(Automation, []) };
  }
  if (flags["dry-run"])
    return { text: `Would resume:\n${tableOf(found, clock.now())}`, ...listedAs(Automation, found) };
  await makeSure(invocation, found);
  return resumeAll(invocation, found);
}

/** When failures paused the automation, in milliseconds since 1970; -Infinity for one that they did not pause. */
function pausedAtMs(automation: Automation): number {
  if (pauseReason(automation) !== reasons.tooManyFailures) return -Infinity;
  const paused = findCondition(automation.status?.conditions, conditionTypes.paused);
  return Date.parse(paused?.lastTransitionTime ?? "");
}

async function makeSure(
  { io, flags, clock }: { io: Invocation["io"]; flags: ResumeFlags; clock: Invocation["clock"] },
  found: readonly Automation[],
): Promise<void> {
  if (flags.yes) return;
  io.note(tableOf(found, clock.now()));
  if (!io.confirm)
    throw new CliError(
      "nothing was resumed: there is no terminal to ask for confirmation\nLook with --dry-run, then add --yes",
    );
  if (!(await io.confirm(`Resume ${found.length}?`))) throw new CliError("nothing was resumed");
}

async function resumeAll(
  { cluster, io, clock }: Omit<Invocation, "flags">,
  found: readonly Automation[],
): Promise<Printable> {
  const { client } = cluster();
  const resumed: Automation[] = [];
  for (const automation of found) {
    const key = keyOf(automation);
    try {
      resumed.push(await client.patch<Automation>(Automation, key, resumePatch(automation, clock.now())));
    } catch (error) {
      io.note(`${keyText(key)}: ${explainFailure(error)}`);
    }
  }
  const lines = resumed.map((automation) => `Automation ${keyText(keyOf(automation))} is resumed`);
  const failed = found.length - resumed.length;
  return {
    text: lines.join("\n"),
    ...listedAs(Automation, resumed),
    ...(failed > 0 ? { failure: `${failed} of ${found.length} could not be resumed` } : {}),
  };
}

function tableOf(found: readonly Automation[], now: Date): string {
  const rows = found.map((automation) => {
    const paused = findCondition(automation.status?.conditions, conditionTypes.paused);
    const { namespace = "", name = "" } = automation.metadata;
    return [
      namespace,
      name,
      `${shownAge(paused?.lastTransitionTime, now)} ago`,
      automation.status?.lastRun?.reason ?? "",
    ];
  });
  return textTable(["NAMESPACE", "NAME", "PAUSED", "LAST RUN"], rows);
}
