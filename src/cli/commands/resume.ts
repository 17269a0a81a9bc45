import { Automation } from "../../api/v1alpha1/index.ts";
import { pauseReason } from "../../domain/pauses/pause-status.ts";
import { resumePatch } from "../../domain/pauses/pause-patch.ts";
import { nameArgument } from "../arguments/name-argument.ts";
import { existingAutomation } from "../cluster/existing-objects.ts";
import { keyText } from "../../lib/resource.ts";
import { defineCommand } from "../command.ts";
import { allNamespacesFlag } from "../arguments/common-flags.ts";
import { shownAs } from "../output/listed.ts";
import { duration } from "../arguments/value-types.ts";
import { misuse } from "../cli-error.ts";
import { resumeMany } from "./resume-many.ts";

export const resume = defineCommand({
  name: "resume",
  summary: "resume a paused Automation, or all that failures paused",
  details:
    "Resets the count of failures with the annotation runwright.dev/resume-requested-at and, where spec.suspend is true, sets it to false, with your own permissions. With --paused-since it resumes, one after the other, every Automation of the namespace (with -A, of all namespaces) that failures paused within that time. Automations that were paused by hand stay paused.",
  parameters: ["[AUTOMATION]"],
  flags: {
    ...allNamespacesFlag,
    "paused-since": {
      value: "DURATION",
      type: duration,
      about: "resume all that failures paused within this time, such as 1h",
    },
    "dry-run": { about: "show what would be resumed, and change nothing" },
    yes: { short: "y", about: "resume several without asking" },
  },
  formats: ["json", "yaml", "name"],
  examples: [
    "resume demo/triage-alerts",
    "resume --all-namespaces --paused-since 1h --dry-run",
    "resume -A --paused-since 90m --yes",
  ],
  async run(invocation) {
    const { args, flags, cluster, clock } = invocation;
    const since = flags["paused-since"];
    if (args.length === 0) {
      if (since === undefined)
        throw misuse("resume needs AUTOMATION, or --paused-since DURATION for several", resume.name);
      return resumeMany(invocation, since);
    }
    if (since !== undefined || flags["all-namespaces"]) {
      throw misuse("resume takes either AUTOMATION or --paused-since, not both", resume.name);
    }
    const id = nameArgument("Automation", invocation);
    const found = await existingAutomation(cluster(), id);
    const patch = resumePatch(found, clock.now());
    const stored = await cluster().client.patch<Automation>(Automation, id, patch, { dryRun: flags["dry-run"] });
    const before = pauseReason(found);
    const was =
      before === undefined
        ? "was not paused; its count of failures starts again at 0"
        : `is resumed; it was paused (${before})`;
    const text = `Automation ${keyText(id)} ${flags["dry-run"] ? "would be resumed (dry run)" : was}`;
    return { text, ...shownAs(Automation, stored) };
  },
});
