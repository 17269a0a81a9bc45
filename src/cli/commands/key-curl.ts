import { webhookPath } from "../../domain/deliveries/webhook-path.ts";
import { nameArgument } from "../arguments/name-argument.ts";
import { existingAutomation } from "../cluster/existing-objects.ts";
import { keyText } from "../../lib/resource.ts";
import { CliError } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import type { Flags } from "../arguments/flag.ts";
import { url } from "../arguments/value-types.ts";
import { curlLine } from "../output/curl-line.ts";
import { exampleDelivery } from "./example-delivery.ts";
import { releaseOf } from "../gateway/gateway-target.ts";

export const baseUrlFlag = {
  "base-url": {
    value: "URL",
    type: url("http:", "https:"),
    about: "address of the ingress, before /webhooks/automation/…",
  },
} as const satisfies Flags;

export const keyCurl = defineCommand({
  name: "key curl",
  summary: "print a curl command that sends a delivery",
  details:
    "The printed command contains no key: it takes the key from $RUNWRIGHT_API_KEY. The body matches the Automation's filters and has a new idempotency key each time, so that each command starts one Run.",
  parameters: ["AUTOMATION"],
  flags: baseUrlFlag,
  formats: ["json", "yaml"],
  examples: ["key curl demo/triage-alerts --base-url https://hooks.example.com"],
  async run(invocation) {
    const { flags, cluster, io, random } = invocation;
    const id = nameArgument("Automation", invocation);
    const release = releaseOf(flags);
    const automation = await existingAutomation(cluster(), id);
    const { type } = automation.spec.trigger;
    if (type !== "Webhook") {
      throw new CliError(
        `Automation ${keyText(id)} has trigger type ${type}; only deliveries of type Webhook can be judged and made here`,
      );
    }
    const webhookUrl = `${flags["base-url"] ?? `http://${release.name}-ingress.${release.namespace}.svc`}${webhookPath(id)}`;
    const { body, problem } = exampleDelivery(automation.spec.trigger.webhook?.filters, random);
    if (problem !== undefined) io.note(`This delivery starts no Run: ${problem}`);
    const curl = curlLine(webhookUrl, undefined, body);
    return { text: curl, json: { automation: keyText(id), webhookUrl, curl } };
  },
});
