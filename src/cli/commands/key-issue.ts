import { z } from "zod";

import { Automation } from "../../api/v1alpha1/index.ts";
import { webhookPath } from "../../domain/deliveries/webhook-path.ts";
import { nameArgument } from "../arguments/name-argument.ts";
import { keyText } from "../../lib/resource.ts";
import { CliError } from "../cli-error.ts";
import { defineCommand, type Invocation } from "../command.ts";
import { curlLine } from "../../domain/deliveries/curl-line.ts";
import { askAgain, type AskedAgain } from "../gateway/ask-again.ts";
import { type GatewayAnswer, gatewayRefusal, openGatewayApi, refusalCode } from "../gateway/gateway-api.ts";
import { gatewayTarget } from "../gateway/gateway-target.ts";
import { baseUrlFlag } from "./key-curl.ts";
import type { Printable } from "../output/printable.ts";
import { webhookCommand } from "../../domain/deliveries/webhook-command.ts";

/** Gateways of earlier versions issue keys for Authorization only, and say no type. */
const Issued = z.object({
  webhookApiKey: z.string().min(1),
  webhookUrl: z.url(),
  authenticationType: z.enum(["Bearer", "HMAC", "Header"]).default("Bearer"),
});

const flags = baseUrlFlag;

export const keyCreate = defineCommand({
  name: "key create",
  summary: "create the API key or signing secret of a webhook Automation that has none",
  details:
    "The key is shown once, because Runwright stores only its hash; so is a signing secret (authentication type HMAC), which no command shows again. Needs permission to create automations/key, which the role edit has.",
  parameters: ["AUTOMATION"],
  flags,
  formats: ["json", "yaml"],
  examples: ["key create demo/triage-alerts", "key create triage-alerts -n demo --service-account key-manager"],
  run: (invocation) => issueKey("create", invocation),
});

export const keyRegenerate = defineCommand({
  name: "key regenerate",
  summary: "replace the API key or signing secret of a webhook Automation",
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
  const ask = (): Promise<GatewayAnswer> => api.post(path, action === "create" ? { create: true } : {});
  const asked = await askAgain(invocation.clock, ask);
  const { webhookApiKey: key, webhookUrl, authenticationType } = issuedIn(asked, `key ${action} ${name}`);
  const url = baseUrl === undefined ? webhookUrl : `${baseUrl}${webhookPath(automation)}`;
  // The key is shown whatever comes of this read.
  const stored = await invocation
    .cluster()
    .client.find<Automation>(Automation, automation)
    .catch(() => undefined);
  const { webhook } = stored?.spec.trigger ?? {};
  // Without the Automation only the default way to send a key is known.
  const isKnown = (webhook?.authentication?.type ?? "Bearer") === authenticationType;
  const command = isKnown ? webhookCommand(webhook, invocation.random, key) : undefined;
  return printedKey(name, { key, authenticationType, url, curl: command && curlLine({ ...command, url }) });
}

function issuedIn({ answer, tries }: AskedAgain, what: string): z.output<typeof Issued> {
  if (answer.status !== 200) {
    const refusal = gatewayRefusal(answer, what);
    if (tries === 1 || refusalCode(answer) !== "KeyExists") throw refusal;
    throw new CliError(
      `${refusal.message}\nAn earlier try of this command may have stored it, of which no answer came`,
    );
  }
  const { data } = Issued.safeParse(answer.body);
  if (data) return data;
  throw new CliError(`${what}: the gateway's answer cannot be read\nUse the plugin of the gateway's version`);
}

const apiKey = { what: "API key", store: "it will not be shown again, because only its hash is kept" };
const words = { Bearer: apiKey, Header: apiKey, HMAC: { what: "Signing secret", store: "no command shows it again" } };

interface Shown {
  key: string;
  authenticationType: keyof typeof words;
  url: string;
  /** Absent where it is not known how the key is sent. */
  curl: string | undefined;
}

function printedKey(automation: string, { key, authenticationType, url, curl }: Shown): Printable {
  const { what, store } = words[authenticationType];
  const text = [
    `${what} of ${automation}:`,
    `  ${key}`,
    `Store it now: ${store}. All earlier ones of this Automation have stopped working.`,
    ...(curl === undefined ? [`Send deliveries to ${url}`] : ["Send a delivery:", curl]),
  ];
  return {
    text: text.join("\n\n"),
    json: { automation, webhookApiKey: key, webhookUrl: url, authenticationType, curl },
  };
}
