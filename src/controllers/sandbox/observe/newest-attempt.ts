import type { Session } from "../../../api/v1alpha1/session.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { conflict } from "../../../kube/errors.ts";
import { keyOf, keyText, type KubeObject, type ObjectMeta } from "../../../lib/resource.ts";
import { attemptOf } from "../labels.ts";
import type { AttemptOwner } from "../owner.ts";

type Owner = Pick<AttemptOwner, "resource" | "metadata" | "record">;

/**
 * What the status does not name is deleted where no start is to come, and the cache of owners may be behind that of their pods. So
 * the owner is read where there is something of a later attempt, or a pod that was handed over. @throws what {@link refuseOutdated} does
 */
export async function ensureNewest(
  client: Pick<KubeClient, "find">,
  owner: Owner,
  { own, strays }: { own: readonly ObjectMeta[]; strays: readonly unknown[] },
): Promise<void> {
  const { attempt = 0 } = owner.record ?? {};
  const isUnnamed = strays.length > 0 || own.some((one) => attemptOf(one) > attempt);
  if (isUnnamed) refuseOutdated(owner, await client.find(owner.resource, keyOf(owner)));
}

/** @throws a conflict where the API server has a later attempt of the owner than the cache: the next pass sees the one that counts */
export function refuseOutdated(owner: Pick<Owner, "metadata" | "record">, live: KubeObject | undefined): void {
  const { attempt = 0 } = owner.record ?? {};
  if (live?.metadata.uid !== owner.metadata.uid || attemptIn(live) <= attempt) return;
  const message = `${keyText(keyOf(owner))} has had another attempt since it was cached`;
  throw conflict(message);
}

/** Each kind of owner has it in the same place. */
function attemptIn(live: Pick<Session, "metadata" | "status"> | undefined): number {
  return live?.status?.sandbox?.attempt ?? 0;
}
