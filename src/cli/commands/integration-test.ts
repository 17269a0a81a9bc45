import { Buffer } from "node:buffer";

import { conditionTypes, Integration, IntegrationEvent, signingSecretDataKeys } from "../../api/v1alpha1/index.ts";
import { findCondition } from "../../domain/conditions.ts";
import { integrationPath } from "../../domain/integrations/path.ts";
import { secrets } from "../../kube/core-resources.ts";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import { keyText } from "../../lib/resource.ts";
import { nameArgument } from "../arguments/name-argument.ts";
import { CliError, misuse } from "../cli-error.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { defineCommand } from "../command.ts";
import { integrationSample } from "./integration-sample.ts";
import { poll } from "./poll.ts";

/** Milliseconds for the connector to call the provider. */
const settleMs = 30_000;

export const integrationTest = defineCommand({
  name: "integration test",
  summary: "send a signed sample through the whole path: ingress, connector, provider",
  details:
    "Signs a sample with the Integration's signing secret, which you must be allowed to read, posts it to the ingress, and waits until the connector has called the provider. It starts no session and shows nothing to people.",
  parameters: ["INTEGRATION"],
  flags: {
    url: { value: "URL", about: "where the provider reaches the ingress, such as https://hooks.example.com" },
  },
  formats: ["json", "yaml"],
  examples: ["integration test demo/linear --url https://hooks.example.com"],
  async run(invocation) {
    const { url } = invocation.flags;
    if (url === undefined || !URL.canParse(url)) throw misuse("integration test needs --url URL", integrationTest.name);
    const id = nameArgument("Integration", invocation);
    const { client } = invocation.cluster();
    const deliveryId = invocation.random.uuid();
    await send(client, id, { url, deliveryId, now: invocation.clock.now() });
    const event = await poll(invocation.clock, () => find(client, id, deliveryId), {
      isEnough: (seen) => seen?.status?.settledTime !== undefined,
      forMs: settleMs,
    });
    const verdict = findCondition(event?.status?.conditions, conditionTypes.succeeded);
    if (!verdict) {
      const state = event ? "was stored, but no connector has handled it" : "was taken, but is not stored";
      throw new CliError(
        `the sample ${state} within ${settleMs / 1_000} s\nIs connector.enabled true, and does a connector lead?`,
      );
    }
    if (verdict.status !== "True") {
      throw new CliError(
        `${verdict.reason}: ${verdict.message}\nWhat to do: kubectl runwright integrations -n ${id.namespace}`,
      );
    }
    return {
      text: `The whole path works. ${verdict.message}.`,
      json: { integration: keyText(id), deliveryId, message: verdict.message },
    };
  },
});

async function send(
  client: Cluster["client"],
  id: NamespacedName,
  { url, deliveryId, now }: { url: string; deliveryId: string; now: Date },
): Promise<void> {
  const integration = await client.find<Integration>(Integration, id);
  if (!integration)
    throw new CliError(`there is no Integration ${keyText(id)}\nTo list them: kubectl runwright integrations -A`);
  const { name } = integration.spec.signingSecretRef;
  const secret = await client.find(secrets, { namespace: id.namespace, name });
  const text = Buffer.from(secret?.data?.[signingSecretDataKeys.current] ?? "", "base64").toString("utf8");
  if (text === "") throw new CliError(`Secret ${id.namespace}/${name} has no ${signingSecretDataKeys.current}`);
  const sample = integrationSample(integration, { secret: text.replace(/\r?\n$/, ""), deliveryId, now });
  const address = `${url.replace(/\/+$/, "")}${integrationPath(id, integration.spec.type)}`;
  const answer = await fetch(address, { method: "POST", redirect: "manual", ...sample }).catch((cause: unknown) => {
    throw new CliError(
      `${address} cannot be reached: ${cause instanceof Error ? cause.message : ""}\nCheck --url, DNS and the route`,
    );
  });
  if (answer.status === 200) return;
  const said = (await answer.text()).slice(0, 300);
  throw new CliError(`${address} answered ${answer.status}: ${said}\n${adviceFor(answer.status)}`);
}

function adviceFor(status: number): string {
  if (status === 401)
    return "The copy of the signing secret is up to 60 seconds behind; and is this machine's clock right?";
  if (status === 404) return "Is connector.enabled true, and is /integrations routed to the ingress?";
  return "Its condition Ready may say why: kubectl runwright integrations";
}

async function find(
  client: Cluster["client"],
  { namespace }: NamespacedName,
  deliveryId: string,
): Promise<IntegrationEvent | undefined> {
  const { items } = await client.list<IntegrationEvent>(IntegrationEvent, { namespace });
  return items.find(({ spec }) => spec.deliveryID === deliveryId);
}
