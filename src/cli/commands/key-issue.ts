import { z } from "zod";

import { Automation } from "../../api/v1alpha1/index.ts";
import { webhookPath } from "../../domain/deliveries/webhook-path.ts";
import { nameArgument } from "../arguments/name-argument.ts";
import { keyText } from "../../lib/resource.ts";
import { CliError } from "../cli-error.ts";
import { defineCommand, type Invocation } from "../command.ts";
import { bearerHeader, curlLine } from "../output/curl-line.ts";
import { gatewayRefusal, openGatewayApi } from "../gateway/gateway-api.ts";
import { gatewayTarget } from "../gateway/gateway-target.ts";
import { exampleDelivery } from "./example-delivery.ts";
import { baseUrlFlag } from "./key-curl.ts";
import type { Printable } from "../output/printable.ts";

const Issued = z.object({ webhookApiKey: z.string().min(1), webhookUrl: z.url() });

const flags = baseUrlFlag;

export const keyCreate = defineCommand({
  name: "key create",
  summary: "create the API key of a webhook Automation that has none",
  details:
    "The key is shown once, because Runwright stores only its hash. Needs permission to create automations/key, which the role edit has.",
  parameters: ["AUTOMATION"],
  flags,
  formats: ["json", "yaml"],
  examples: ["key create demo/triage-alerts", "key create triage-alerts -n demo --service-account key-manager"],
  run: (invocation) => issueKey("create", invocation),
});

export const keyRegenerate = defineCommand({
  name: "key regenerate",
  summary: "replace the API key of a webhook Automation",
  details:
    "The old key stops working before the command returns. The new one is shown once, because Runwright stores only its hash.",
  parameters: ["AUTOMATION"],
  flags,
  formats: ["json", "yaml"],
  examples: ["key regenerate demo/triage-alerts"],
  run: (invocation) => issueKey("regenerate", invocation),
});

async function issueKey(action: "create" | "regenerate", invocation: Invocation<typeof flags>): Promise<Printable> {
  const automation = nameArgument("Automation", invocation);
  const target = gatewayTarget(invocation, automation.namespace);
  const baseUrl = invocation.flags["base-url"];
  const name = keyText(automation);
  const api = await openGatewayApi(invocation, target);
  const path = `/automations/${automation.namespace}.${automation.name}/regenerate-key`;
  const answer = await api.post(path, action === "create" ? { create: true } : {});
  const issued = answer.status === 200 ? Issued.safeParse(answer.body) : undefined;
  if (!issued) throw gatewayRefusal(answer, `key ${action} ${name}`);
  if (!issued.success) {
    throw new CliError(
      `key ${action} ${name}: the gateway's answer cannot be read\nUse the plugin of the gateway's version`,
    );
  }
  const key = issued.data.webhookApiKey;
  const url = baseUrl === undefined ? issued.data.webhookUrl : `${baseUrl}${webhookPath(automation)}`;
  // The key is shown whatever comes of this read.
  const stored = await invocation
    .cluster()
    .client.find<Automation>(Automation, automation)
    .catch(() => undefined);
  const { body } = exampleDelivery(stored?.spec.trigger.webhook?.filters, invocation.random);
  return printedKey(name, key, { url, body });
}

function printedKey(automation: string, key: string, { url, body }: { url: string; body: string }): Printable {
  const curl = curlLine(url, bearerHeader(key), body);
  const text = [
    `API key of ${automation}:`,
    `  ${key}`,
    "Store it now: it will not be shown again, because only its hash is kept. All earlier keys of this Automation have stopped working.",
    "Send a delivery:",
    curl,
  ];
  return { text: text.join("\n\n"), json: { automation, webhookApiKey: key, webhookUrl: url, curl } };
}
