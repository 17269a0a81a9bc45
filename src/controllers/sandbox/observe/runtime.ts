import { attemptName } from "../../../api/v1alpha1/names.ts";
import { connectDeadline } from "../../../domain/clocks/session-clocks.ts";
import { hasPassed } from "../../../domain/clocks/deadline.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { type Lease, leases } from "../../../kube/core-resources.ts";
import type { Clock } from "../../../lib/clock.ts";
import { keyOf, type ObjectKey } from "../../../lib/resource.ts";
import { observeLease } from "./lease-notes.ts";
import type { AttemptFacts } from "../facts.ts";
import type { AttemptOwner } from "../owner.ts";
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
  const { client, clock, heartbeats, informers, sessionsNamespace } = deps;
  const key = { namespace: sessionsNamespace, name: attemptName(metadata.uid ?? "", record.attempt) };
  // A connection once noted still counts after its Lease was deleted.
  const wasNoted = record.connectTime !== undefined || record.readyTime !== undefined;
  const isConnected = (lease: Lease | undefined): boolean =>
    lease !== undefined || wasNoted || heartbeats.has(key.name);
  const cached = informers.leases.get(key);
  const deadline = connectDeadline({ sandbox: record, connected: isConnected(cached), connectHeldUntilMs });
  // Before the connect watchdog ends a runtime for want of a Lease, the API server is asked.
  const lease = deadline && hasPassed(deadline, clock.now()) ? await client.find(leases, key) : cached;
  return isConnected(lease) ? listen(deps, key, { owner: keyOf({ metadata }), lease }) : { isSilent: false };
}

async function listen(
  { client, heartbeats }: RuntimeObserverDeps,
  key: ObjectKey,
  { owner, lease }: { owner: ObjectKey; lease: Lease | undefined },
): Promise<RuntimeFacts> {
  const { name } = key;
  // A Lease that was deleted counts as renewed once a gateway has created it again.
  if (!heartbeats.has(name)) heartbeats.heard(name, owner, lease);
  if (!heartbeats.isStale(name)) return { lease: noted(lease), isSilent: false };
  // A watch that hangs must not end sessions: the Lease itself has the last word.
  const live: Lease | undefined = await client.find(leases, key);
  if (live) heartbeats.heard(name, owner, live);
  return { lease: noted(live ?? lease), isSilent: heartbeats.isStale(name) };
}

function noted(lease: Lease | undefined): RuntimeFacts["lease"] {
  return lease ? observeLease(lease) : { isReady: false };
}
