import { z } from "zod";

import { Automation } from "../api/v1alpha1/index.ts";
import { webhookPath } from "../domain/deliveries/index.ts";
import { CliError } from "./cli-error.ts";
import { openCluster, type Cluster } from "./cluster.ts";
import type { CommandLine } from "./command-line.ts";
import { curlLine } from "./curl-line.ts";
import { gatewayRefusal, openGatewayApi } from "./gateway-api.ts";
import { personToken } from "./person-token.ts";

/** Both forms of a command's result. */
export interface Printable {
  text: string;
  json: object;
}

const Issued = z.object({ webhookApiKey: z.string().min(1), webhookUrl: z.url() });

/** Carries a key command out. @throws CliError, or a KubeError of the API server's */
export async function runKeyCommand(command: CommandLine): Promise<Printable> {
  const cluster = openCluster(command);
  try {
    return command.action === "curl" ? await showCurl(cluster, command) : await issueKey(cluster, command);
  } finally {
    await cluster.close();
  }
}

async function issueKey(cluster: Cluster, command: CommandLine): Promise<Printable> {
  const { action, automation, baseUrl } = command;
  const name = `${automation.namespace}/${automation.name}`;
  const api = await openGatewayApi(cluster, await personToken(cluster, command), command);
  try {
    const path = `/automations/${automation.namespace}.${automation.name}/regenerate-key`;
    const answer = await api.post(path, action === "create" ? { create: true } : {});
    const issued = answer.status === 200 ? Issued.safeParse(answer.body) : undefined;
    if (!issued) throw gatewayRefusal(answer, `key ${action} ${name}`);
    if (!issued.success)
      throw new CliError(`key ${action} ${name}: the gateway's answer cannot be read; is it of this version?`);
    const key = issued.data.webhookApiKey;
    const url = baseUrl === undefined ? issued.data.webhookUrl : `${baseUrl}${webhookPath(automation)}`;
    return printedKey(name, key, url);
  } finally {
    api.close();
  }
}

function printedKey(automation: string, key: string, url: string): Printable {
  const curl = curlLine(url, key);
  const text = [
    `API key of ${automation}:`,
    `  ${key}`,
    "Store it now: it will not be shown again. Only its hash is kept. Any other key of this Automation is dead.",
    "Send a delivery:",
    curl,
  ];
  return { text: text.join("\n\n"), json: { automation, webhookApiKey: key, webhookUrl: url, curl } };
}

async function showCurl(cluster: Cluster, { automation, baseUrl, release }: CommandLine): Promise<Printable> {
  const name = `${automation.namespace}/${automation.name}`;
  const found = await cluster.client.find(Automation, automation);
  if (!found) throw new CliError(`there is no Automation ${name}`);
  if (found.spec.trigger.type !== "Webhook") {
    throw new CliError(`Automation ${name} has trigger type ${found.spec.trigger.type}; only Webhook takes deliveries`);
  }
  const base = baseUrl ?? `http://${release.name}-ingress.${release.namespace}.svc`;
  const webhookUrl = `${base}${webhookPath(automation)}`;
  const curl = curlLine(webhookUrl, undefined);
  return { text: curl, json: { automation: name, webhookUrl, curl } };
}
