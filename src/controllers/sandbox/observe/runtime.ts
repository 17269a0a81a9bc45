import { attemptName } from "../../../api/v1alpha1/names.ts";
import type { Sandbox } from "../../../api/v1alpha1/session.ts";
import { connectDeadline } from "../../../domain/clocks/session-clocks.ts";
import { hasPassed } from "../../../domain/clocks/deadline.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { type Lease, leases } from "../../../kube/core-resources.ts";
import type { Clock } from "../../../lib/clock.ts";
import { keyOf, type ObjectKey } from "../../../lib/resource.ts";
import { observeLease } from "./lease-notes.ts";
import type { SessionFacts } from "../../session/facts.ts";
import type { Heartbeats } from "./heartbeats.ts";
import type { SessionInformers } from "../informers.ts";

export interface RuntimeObserverDeps {
  client: Pick<KubeClient, "find">;
  clock: Pick<Clock, "now">;
  heartbeats: Heartbeats;
  informers: Pick<SessionInformers, "leases">;
  sessionsNamespace: string;
}

type RuntimeFacts = Pick<SessionFacts, "lease" | "isSilent">;

/** What the runtime of the current attempt has said, and whether it is silent. */
export async function observeRuntime(
  deps: RuntimeObserverDeps,
  { session, connectHeldUntilMs }: SessionFacts,
): Promise<RuntimeFacts> {
  const { sandbox } = session.status ?? {};
  if (!sandbox || sandbox.endTime !== undefined) return { isSilent: false };
  const name = attemptName(session.metadata.uid ?? "", sandbox.attempt);
  const key = { namespace: deps.sessionsNamespace, name };
  const lease = await findLease(deps, key, { sandbox, connectHeldUntilMs });
  const connected = lease !== undefined || hasConnected(deps, name, sandbox);
  return connected ? listen(deps, key, { session: keyOf(session), lease }) : { isSilent: false };
}

async function listen(
  { client, heartbeats }: RuntimeObserverDeps,
  key: ObjectKey,
  { session, lease }: { session: ObjectKey; lease: Lease | undefined },
): Promise<RuntimeFacts> {
  const { name } = key;
  // One whose Lease was deleted is heard again when a gateway has made it anew.
  if (!heartbeats.has(name)) heartbeats.heard(name, session, lease?.spec?.renewTime);
  if (!heartbeats.isStale(name)) return { lease: said(lease), isSilent: false };
  // A watch that hangs must not end sessions: the Lease itself has the last word.
  const live: Lease | undefined = await client.find(leases, key);
  if (live) heartbeats.heard(name, session, live.spec?.renewTime);
  return { lease: said(live ?? lease), isSilent: heartbeats.isStale(name) };
}

/** That a runtime was heard outlasts its Lease. */
function hasConnected(
  { heartbeats }: RuntimeObserverDeps,
  leaseName: string,
  { connectTime, readyTime }: Sandbox,
): boolean {
  return connectTime !== undefined || readyTime !== undefined || heartbeats.has(leaseName);
}

function said(lease: Lease | undefined): RuntimeFacts["lease"] {
  return lease ? observeLease(lease) : { isReady: false };
}

/** From the cache; before the connect watchdog ends a runtime for want of a Lease, from the API server. */
async function findLease(
  deps: RuntimeObserverDeps,
  key: ObjectKey,
  clockFacts: { sandbox: Sandbox; connectHeldUntilMs: number | undefined },
): Promise<Lease | undefined> {
  const { client, clock, informers } = deps;
  const cached = informers.leases.get(key);
  const connected = cached !== undefined || hasConnected(deps, key.name, clockFacts.sandbox);
  const deadline = connectDeadline({ ...clockFacts, connected });
  return deadline && hasPassed(deadline, clock.now()) ? client.find(leases, key) : cached;
}
