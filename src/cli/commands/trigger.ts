import { type Automation, Run } from "../../api/v1alpha1/index.ts";
import { randomNameBytes } from "../../domain/object-names.ts";
import { manualRun } from "../../domain/runs/manual-run.ts";
import { isCompleted, isSettled, isStarted, stateOf, succeededOf } from "../../domain/runs/run-state.ts";
import { keyOf, keyText } from "../../lib/resource.ts";
import { timeoutFlag } from "../arguments/common-flags.ts";
import { nameArgument } from "../arguments/name-argument.ts";
import { existingAutomation } from "../cluster/existing-objects.ts";
import { defineCommand, type Invocation } from "../command.ts";
import { misuse } from "../cli-error.ts";
import { followRun, hasReached } from "./follow-run.ts";
import { controllerMs } from "./poll.ts";
import { shownAs } from "../output/listed.ts";
import type { Printable } from "../output/printable.ts";
import { storeOnce } from "../../kube/store-once.ts";

const flags = {
  "while-paused": { about: "start the Run even if the Automation is paused, and leave it paused" },
  wait: { short: "w", about: "wait until the Run has ended" },
  ...timeoutFlag("--wait"),
} as const;

export const trigger = defineCommand({
  name: "trigger",
  summary: "start a Run of an Automation now",
  details:
    "Creates a Run with your own permissions and prints what the controller decided. The controller skips the Run, and the command fails, while another Run of the Automation is active or the Automation is paused. With --wait the command returns when the Run has ended, and fails unless the Run completed.",
  parameters: ["AUTOMATION"],
  flags,
  formats: ["json", "yaml", "name"],
  examples: ["trigger demo/triage-alerts", "trigger demo/nightly --while-paused --wait --timeout 2h"],
  async run(invocation) {
    const { cluster, io } = invocation;
    const { timeout, wait } = invocation.flags;
    if (timeout !== undefined && !wait) throw misuse("--timeout needs --wait", trigger.name);
    const forMs = timeout?.ms ?? Infinity;
    const automation = await existingAutomation(cluster(), nameArgument("Automation", invocation));
    const run = await startRun(invocation, automation);
    const judged = await followRun(invocation, run, { until: "judged", forMs: Math.min(controllerMs, forMs) });
    if (!wait || isSettled(judged)) return shownDecision(judged, automation);
    io.note(`${nameOf(judged)} ${hasReached(judged, "judged") ? "started" : "waits for the controller"}`);
    return shownEnd(await followRun(invocation, judged, { until: "ended", forMs }), timeout?.text);
  },
});

function startRun(invocation: Invocation<typeof flags>, automation: Automation): Promise<Run> {
  const { namespace = "", name = "", uid } = automation.metadata;
  const firing = {
    automation: { namespace, name, uid },
    time: invocation.clock.now(),
    random: invocation.random.bytes(randomNameBytes),
    whilePaused: invocation.flags["while-paused"],
  };
  return storeOnce(invocation.cluster().client, Run, manualRun(firing));
}

function shownDecision(run: Run, automation: Automation): Printable {
  if (isSettled(run)) return shownEnd(run, undefined);
  const { name = "" } = automation.metadata;
  const namespace = automation.metadata.namespace ?? "";
  const text = isStarted(run)
    ? `${nameOf(run)} started; follow it with kubectl runwright runs ${namespace}/${name}`
    : `${nameOf(run)} was created, but no controller has seen it within ${controllerMs / 1_000} s`;
  return { text, ...shownAs(Run, run) };
}

function shownEnd(run: Run, timeout: string | undefined): Printable {
  const { message = "" } = succeededOf(run) ?? {};
  const forms = shownAs(Run, run);
  if (!isSettled(run)) {
    return { text: "", ...forms, failure: `${nameOf(run)} has not ended within ${timeout ?? ""}; it goes on` };
  }
  if (isCompleted(run)) return { text: `${nameOf(run)} completed: ${message}`, ...forms };
  return { text: "", ...forms, failure: `${nameOf(run)} ended as ${stateOf(run)}: ${message}` };
}

function nameOf(run: Run): string {
  return `Run ${keyText(keyOf(run))}`;
}
