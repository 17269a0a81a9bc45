import { attemptName } from "../../../api/v1alpha1/names.ts";
import { connectDeadline } from "../../../domain/clocks/session-clocks.ts";
import { hasPassed } from "../../../domain/clocks/deadline.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { type Lease, leases } from "../../../kube/core-resources.ts";
import type { Clock } from "../../../lib/clock.ts";
import { keyOf, type ObjectKey } from "../../../lib/resource.ts";
import { observeLease } from "./lease-notes.ts";
import type { AttemptFacts } from "../facts.ts";
import type { AttemptOwner, AttemptRecord } from "../owner.ts";
import type { Heartbeats } from "./heartbeats.ts";
import type { SandboxInformers } from "../informers.ts";

export interface RuntimeObserverDeps {
  client: Pick<KubeClient, "find">;
  clock: Pick<Clock, "now">;
  heartbeats: Heartbeats;
  informers: Pick<SandboxInformers, "leases">;
  sessionsNamespace: string;
}

type RuntimeFacts = Pick<AttemptFacts, "lease" | "isSilent">;

/** What the gateway noted of the current attempt's runtime, and whether the runtime is silent. */
export async function observeRuntime(
  deps: RuntimeObserverDeps,
  { metadata, record }: AttemptOwner,
  connectHeldUntilMs: number | undefined,
): Promise<RuntimeFacts> {
  if (!record || record.endTime !== undefined) return { isSilent: false };
  const name = attemptName(metadata.uid ?? "", record.attempt);
  const key = { namespace: deps.sessionsNamespace, name };
  const lease = await findLease(deps, key, { sandbox: record, connectHeldUntilMs });
  const connected = lease !== undefined || hasConnected(deps, name, record);
  return connected ? listen(deps, key, { owner: keyOf({ metadata }), lease }) : { isSilent: false };
}

async function listen(
  { client, heartbeats }: RuntimeObserverDeps,
  key: ObjectKey,
  { owner, lease }: { owner: ObjectKey; lease: Lease | undefined },
): Promise<RuntimeFacts> {
  const { name } = key;
  // A Lease that was deleted counts as renewed once a gateway has created it again.
  if (!heartbeats.has(name)) heartbeats.heard(name, owner, lease?.spec?.renewTime);
  if (!heartbeats.isStale(name)) return { lease: noted(lease), isSilent: false };
  // A watch that hangs must not end sessions: the Lease itself has the last word.
  const live: Lease | undefined = await client.find(leases, key);
  if (live) heartbeats.heard(name, owner, live.spec?.renewTime);
  return { lease: noted(live ?? lease), isSilent: heartbeats.isStale(name) };
}

/** A connection once noted still counts after its Lease was deleted. */
function hasConnected(
  { heartbeats }: RuntimeObserverDeps,
  leaseName: string,
  { connectTime, readyTime }: AttemptRecord,
): boolean {
  return connectTime !== undefined || readyTime !== undefined || heartbeats.has(leaseName);
}

function noted(lease: Lease | undefined): RuntimeFacts["lease"] {
  return lease ? observeLease(lease) : { isReady: false };
}

/** From the cache; before the connect watchdog ends a runtime for want of a Lease, from the API server. */
async function findLease(
  deps: RuntimeObserverDeps,
  key: ObjectKey,
  clockFacts: { sandbox: AttemptRecord; connectHeldUntilMs: number | undefined },
): Promise<Lease | undefined> {
  const { client, clock, informers } = deps;
  const cached = informers.leases.get(key);
  const connected = cached !== undefined || hasConnected(deps, key.name, clockFacts.sandbox);
  const deadline = connectDeadline({ ...clockFacts, connected });
  return deadline && hasPassed(deadline, clock.now()) ? client.find(leases, key) : cached;
}
