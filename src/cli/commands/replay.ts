import { Automation, DeliveryLog, Run } from "../../api/v1alpha1/index.ts";
import { namespaceOf } from "../arguments/name-argument.ts";
import { CliError, misuse } from "../cli-error.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { defineCommand, type Invocation } from "../command.ts";
import { duration } from "../arguments/value-types.ts";
import { replaySkipped } from "./replay-skipped.ts";
import { entryOf, replayRun, storedDelivery, type StoredDelivery } from "./replay-deliveries.ts";

export const replay = defineCommand({
  name: "replay",
  summary: "start a Run from a stored delivery, or from all that were skipped",
  details:
    "DELIVERY is [NAMESPACE/]ID. The command deliveries lists the IDs; the sender gets them in the header Runwright-Delivery-Id. The body comes from the Run of the delivery or, if the delivery was filtered or the Automation was paused, from the DeliveryLog. The Automation decides with its filters of today. The Run is created with your own permissions and a new idempotency key. With --skipped the argument is [NAMESPACE/]AUTOMATION, and every delivery of the Automation whose Run was skipped within the time of --since is replayed, the oldest first, under the idempotency key that its sender gave it: one that was started meanwhile is not started again, however often the command is given.",
  parameters: ["DELIVERY"],
  flags: {
    "ignore-filters": { about: "start the Run even if the filters do not match" },
    skipped: { about: "replay the deliveries of an Automation whose Runs never started" },
    since: { value: "DURATION", type: duration, about: "with --skipped: those skipped within this time, such as 2h" },
  },
  formats: ["json", "yaml", "name"],
  examples: ["replay demo/5xvi3fl7hbsvhkydnzuzjpcm2a", "replay demo/triage-alerts --skipped --since 2h"],
  async run(invocation) {
    const { since, skipped } = invocation.flags;
    if (skipped !== (since !== undefined)) throw misuse("--skipped and --since DURATION belong together", replay.name);
    if (since) return replaySkipped(invocation, since);
    const { namespace, deliveryId } = deliveryOf(invocation);
    const { client } = invocation.cluster();
    const stored = await findStored(client, namespace, deliveryId);
    const automation = await client.find(Automation, { namespace, name: stored.automationName });
    if (!automation) throw new CliError(`Automation ${namespace}/${stored.automationName} is no longer there`);
    const { clock, flags, random } = invocation;
    const options = { deliveryId, now: clock.now(), random, ignoreFilters: flags["ignore-filters"] };
    const made = replayRun(automation, stored, options);
    const { name = "" } = (await client.create(Run, made)).metadata;
    return {
      text: `Run ${namespace}/${name} was created from delivery ${deliveryId}`,
      json: { delivery: deliveryId, automation: `${namespace}/${stored.automationName}`, run: `${namespace}/${name}` },
      names: [`run.runwright.dev/${name}`],
    };
  },
});

function deliveryOf(invocation: Pick<Invocation, "args" | "namespace" | "cluster">): {
  namespace: string;
  deliveryId: string;
} {
  const [text = ""] = invocation.args;
  const [, namespace, deliveryId] = /^(?:([a-z0-9-]+)\/)?([a-z2-7]+)$/.exec(text) ?? [];
  if (deliveryId === undefined)
    throw misuse(
      `delivery "${text}" is not [NAMESPACE/]ID\nTo list the IDs: kubectl runwright deliveries AUTOMATION`,
      replay.name,
    );
  return { namespace: namespace ?? namespaceOf(invocation), deliveryId };
}

async function findStored(client: Cluster["client"], namespace: string, deliveryId: string): Promise<StoredDelivery> {
  const entry = entryOf(deliveryId, (await client.list(DeliveryLog, { namespace })).items);
  const name = entry?.delivery.runName;
  const named = name === undefined ? undefined : await client.find(Run, { namespace, name });
  const isDuplicate = entry?.delivery.decision === "Duplicate";
  // A Run that was skipped stands under another name, and a later delivery may have taken the first.
  const isOurs = named?.spec.trigger.deliveryID === deliveryId || isDuplicate;
  return storedDelivery(deliveryId, entry, isOurs ? named : await findRun(client, namespace, deliveryId));
}

/** Searches all Runs of a namespace; for deliveries that are no longer in a log. */
async function findRun(client: Cluster["client"], namespace: string, deliveryId: string): Promise<Run | undefined> {
  const isOfDelivery = ({ spec }: Run): boolean => spec.trigger.deliveryID === deliveryId;
  const { items } = await client.list(Run, {
    namespace,
    // Drops the payloads of other Runs: thousands would fill the memory.
    transform: (run) =>
      isOfDelivery(run) ? run : { ...run, spec: { ...run.spec, trigger: { ...run.spec.trigger, payload: undefined } } },
  });
  return items.find(isOfDelivery);
}
