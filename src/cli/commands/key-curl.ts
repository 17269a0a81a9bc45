import { createHmac } from "node:crypto";

import type { Automation } from "../../api/v1alpha1/index.ts";
import { webhookPath } from "../../domain/deliveries/webhook-path.ts";
import { nameArgument } from "../arguments/name-argument.ts";
import { readSecret } from "../arguments/read-input.ts";
import { existingAutomation } from "../cluster/existing-objects.ts";
import { keyText } from "../../lib/resource.ts";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import type { Random } from "../../lib/random.ts";
import { CliError, misuse } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import type { Flags } from "../arguments/flag.ts";
import { url } from "../arguments/value-types.ts";
import { curlLine, quoted } from "../../domain/deliveries/curl-line.ts";
import { exampleEvent } from "./example-event.ts";
import { wantedEvents } from "./explain-event.ts";
import { releaseOf } from "../gateway/gateway-target.ts";
import { webhookCommand, type WebhookCommand } from "../../domain/deliveries/webhook-command.ts";

export const baseUrlFlag = {
  "base-url": {
    value: "URL",
    type: url("http:", "https:"),
    about: "address of the ingress, before /webhooks/…; by default the one in the Automation's status",
  },
} as const satisfies Flags;

export const keyCurl = defineCommand({
  name: "key curl",
  summary: "print a curl command that sends a delivery",
  details:
    "The printed command contains no key: it takes the key from $RUNWRIGHT_API_KEY, or the secret that signs from $RUNWRIGHT_SIGNING_SECRET and signs with openssl. The body matches the Automation's filters and the delivery has a new idempotency key each time, so that each command starts one Run. For type ErrorTracker the body is a new event that the Automation wants, and the command has its signature, which is valid for this body alone; -f names the file with the signing secret.",
  parameters: ["AUTOMATION"],
  flags: {
    ...baseUrlFlag,
    filename: {
      short: "f",
      value: "FILE",
      about: "file with the signing secret of type ErrorTracker; - reads standard input",
    },
  },
  formats: ["json", "yaml"],
  examples: [
    "key curl demo/triage-alerts --base-url https://hooks.example.com",
    "key curl demo/fix-errors -f secret --base-url https://hooks.example.com",
  ],
  async run(invocation) {
    const { flags, cluster, io, random } = invocation;
    const id = nameArgument("Automation", invocation);
    const release = releaseOf(flags);
    const automation = await existingAutomation(cluster(), id);
    const { problem, path, ...command } = await exampleCommand(automation, { id, secretFile: flags.filename, random });
    const url = addressOf(automation, path, { baseUrl: flags["base-url"], release });
    if (problem !== undefined) io.note(`This delivery starts no Run: ${problem}`);
    const curl = curlLine({ ...command, url });
    return { text: curl, json: { automation: keyText(id), webhookUrl: url, curl } };
  },
});

/** Where senders post: as the flag says, else as the controller has written it, else the Service that the chart makes. */
function addressOf(
  { status }: Automation,
  path: string,
  { baseUrl, release }: { baseUrl: string | undefined; release: NamespacedName },
): string {
  if (baseUrl !== undefined) return `${baseUrl}${path}`;
  return status?.webhook?.url ?? `http://${release.name}-ingress.${release.namespace}.svc${path}`;
}

async function exampleCommand(
  automation: Automation,
  { id, secretFile, random }: { id: NamespacedName; secretFile: string | undefined; random: Random },
): Promise<WebhookCommand & { path: string }> {
  const { type, webhook } = automation.spec.trigger;
  if (type === "Webhook") {
    if (secretFile !== undefined) throw misuse("-f is for type ErrorTracker; webhooks have a key", keyCurl.name);
    return { ...webhookCommand(webhook, random), path: webhookPath(id) };
  }
  if (type !== "ErrorTracker") {
    throw new CliError(`Automation ${keyText(id)} has trigger type ${type}, which takes no deliveries`);
  }
  if (secretFile === undefined) {
    throw misuse("key curl needs the secret that signs: -f FILE, or -f - for standard input", keyCurl.name);
  }
  const { body, problem } = exampleEvent(wantedEvents(automation), random);
  const signature = createHmac("sha256", await readSecret(secretFile))
    .update(body)
    .digest("hex");
  const headers = [quoted(`Sentry-Hook-Signature: ${signature}`)];
  return { headers, data: quoted(body), problem, path: webhookPath(id, type) };
}
