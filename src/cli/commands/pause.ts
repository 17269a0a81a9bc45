import { Automation } from "../../api/v1alpha1/index.ts";
import { pausePatch } from "../../domain/pauses/pause-patch.ts";
import { nameArgument } from "../arguments/name-argument.ts";
import { existingAutomation } from "../cluster/existing-objects.ts";
import { keyText } from "../../lib/resource.ts";
import { defineCommand } from "../command.ts";
import { shownAs } from "../output/listed.ts";

export const pause = defineCommand({
  name: "pause",
  summary: "pause an Automation, so that it starts no new Runs",
  details:
    "Sets spec.suspend to true with your own permissions: you must be allowed to patch the Automation and to impersonate the ServiceAccount that it names. Runs that have started continue. If Git manages the Automation, set spec.suspend there, or Git will undo the pause.",
  parameters: ["AUTOMATION"],
  flags: {},
  formats: ["json", "yaml", "name"],
  examples: ["pause demo/triage-alerts"],
  async run(invocation) {
    const cluster = invocation.cluster();
    const id = nameArgument("Automation", invocation);
    const { spec } = await existingAutomation(cluster, id);
    const stored = await cluster.client.patch<Automation>(Automation, id, pausePatch());
    const text = `Automation ${keyText(id)} ${spec.suspend ? "was paused already" : "is paused"}`;
    return { text, ...shownAs(Automation, stored) };
  },
});
