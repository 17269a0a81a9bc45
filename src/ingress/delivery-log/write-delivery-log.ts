import { Automation, DeliveryLog, DeliveryLogSpec } from "../../api/v1alpha1/index.ts";
import { type LogEntries, mergedDeliveryLog } from "./delivery-log.ts";
import type { LoggedAutomation } from "../../domain/deliveries/delivery.ts";
import type { KubeClient } from "../../kube/client.ts";
import { isAlreadyExists, isConflict, isNotFound } from "../../kube/errors.ts";
import { ownerReferenceTo } from "../../lib/resource.ts";

/** Timeout of each request, in milliseconds. */
const callMs = 5_000;
/** Other replicas write the same log, each at most every 5 s. */
const attempts = 4;

export type DeliveryLogClient = Pick<KubeClient, "find" | "create" | "patch">;

/**
 * Adds to the log of an Automation, merged with what other replicas wrote: a write is stored only on top of the
 * version that it was merged with. Throws when it was not stored.
 */
export async function writeDeliveryLog(
  client: DeliveryLogClient,
  automation: LoggedAutomation,
  fresh: LogEntries,
): Promise<void> {
  for (let left = attempts; ; left -= 1) {
    try {
      await writeOnce(client, automation, fresh);
      return;
    } catch (error) {
      const isOvertaken = isConflict(error) || isAlreadyExists(error) || isNotFound(error);
      if (!isOvertaken || left <= 1) throw error;
    }
  }
}

async function writeOnce(client: DeliveryLogClient, automation: LoggedAutomation, fresh: LogEntries): Promise<void> {
  const { namespace, name, uid } = automation;
  const key = { namespace, name };
  const stored = await client.find(DeliveryLog, key, { timeoutMs: callMs });
  if (!stored) {
    const ownerReferences = [ownerReferenceTo(Automation, { metadata: { name, uid } })];
    const log = { metadata: { namespace, name, ownerReferences }, spec: mergedDeliveryLog({}, fresh) };
    await client.create(DeliveryLog, log, { timeoutMs: callMs });
    return;
  }
  const { ownerReferences, resourceVersion } = stored.metadata;
  if (!ownerReferences?.some((owner) => owner.uid === uid)) throw new ForeignLogError(namespace, name);
  const spec = mergedDeliveryLog(readable(stored.spec), fresh);
  await client.patch(DeliveryLog, key, { metadata: { resourceVersion }, spec }, { timeoutMs: callMs });
}

/** The log belongs to a deleted Automation of the same name and is not garbage-collected yet. */
class ForeignLogError extends Error {
  override readonly name = "ForeignLogError";

  constructor(namespace: string, name: string) {
    super(`DeliveryLog ${namespace}/${name} belongs to an Automation that is gone, and was not garbage-collected yet`);
  }
}

/** A log that another version wrote and this one cannot read starts empty: it covers the last hours at most. */
function readable(stored: unknown): DeliveryLogSpec {
  const parsed = DeliveryLogSpec.safeParse(stored);
  return parsed.success ? parsed.data : {};
}
