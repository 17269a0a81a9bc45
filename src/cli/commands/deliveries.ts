import { Automation, DeliveryLog, type LoggedDelivery, type RefusalCount } from "../../api/v1alpha1/index.ts";
import { authenticationOf, describeAuthentication } from "../../domain/deliveries/authentication.ts";
import { limitFlag } from "../arguments/common-flags.ts";
import { nameArgument } from "../arguments/name-argument.ts";
import { existingAutomation } from "../cluster/existing-objects.ts";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import { keyText } from "../../lib/resource.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { defineCommand } from "../command.ts";
import { newest } from "../output/listed.ts";
import { textTable } from "../output/table.ts";

export const deliveries = defineCommand({
  name: "deliveries",
  summary: "list the latest deliveries to an Automation, and the decision on each",
  parameters: ["AUTOMATION"],
  flags: limitFlag(20),
  formats: ["json", "yaml"],
  examples: ["deliveries demo/triage-alerts", "deliveries triage-alerts -n demo --limit 5"],
  async run(invocation) {
    const id = nameArgument("Automation", invocation);
    const cluster = invocation.cluster();
    const log = await cluster.client.find(DeliveryLog, id);
    if (!log) await existingAutomation(cluster, id);
    const { deliveries: all = [], refusals = [] } = log?.spec ?? {};
    const deliveries = newest(all, ({ time, id }) => `${time} ${id}`, {
      limit: invocation.flags.limit,
      io: invocation.io,
    });
    const parts = [
      deliveries.length > 0
        ? deliveriesTable(deliveries)
        : `No delivery with the key or signature of ${keyText(id)} is known.`,
      ...(refusals.length > 0 ? [refusalsTable(refusals), ...(await proofLine(cluster, id))] : []),
    ];
    return { text: parts.join("\n\n"), json: { automation: keyText(id), deliveries, refusals } };
  },
});

function deliveriesTable(deliveries: readonly LoggedDelivery[]): string {
  const rows = deliveries.map(({ id, time, decision, httpStatus, runName = "", message }) => [
    toSeconds(time),
    decision,
    String(httpStatus),
    id,
    runName,
    message,
  ]);
  return textTable(["TIME", "DECISION", "STATUS", "DELIVERY", "RUN", "MESSAGE"], rows);
}

/** What senders that were refused have to prove themselves with. */
async function proofLine({ client }: Cluster, id: NamespacedName): Promise<string[]> {
  const automation = await client.find<Automation>(Automation, id);
  const { type, webhook } = automation?.spec.trigger ?? {};
  if (type !== "Webhook") return [];
  return [`Senders prove themselves with ${describeAuthentication(authenticationOf(webhook?.authentication))}`];
}

function refusalsTable(refusals: readonly RefusalCount[]): string {
  const rows = refusals.map(({ reason, count, lastTime }) => [reason, String(count), toSeconds(lastTime)]);
  return textTable(["REFUSAL", "COUNT", "LAST"], rows);
}

function toSeconds(time: string): string {
  return time.replace(/\.\d+Z$/, "Z");
}
