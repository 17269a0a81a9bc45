import { reasons } from "../../api/v1alpha1/reasons.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import { connectHeldUntilMs } from "../../domain/clocks/session-clocks.ts";
import type { KubeClient } from "../../kube/client.ts";
import { type Pod, pods } from "../../kube/core-resources.ts";
import type { Clock } from "../../lib/clock.ts";
import { keyOf, keyText } from "../../lib/resource.ts";
import { podState } from "../sandbox/observe/pod-state.ts";
import { noteOf, volumeSnapshots } from "../sandbox/pod/volume-snapshots.ts";
import { attemptOf } from "../sandbox/attempt-number.ts";
import { isSandboxOf } from "../sandbox/observe/own-pods.ts";
import { childVerdict, observeChildren } from "./observe/family.ts";
import type { ObservedPod, SessionFacts, StartObstacle, UnrecordedStart } from "./facts.ts";
import type { GatewayPresence } from "../sandbox/observe/gateway-presence.ts";
import { observeRuntime, type RuntimeObserverDeps } from "../sandbox/observe/runtime.ts";
import { promptsInTurn } from "./observe/prompts-in-turn.ts";
import { bySessionIndex, bySessionUidIndex, type SessionInformers } from "../sandbox/informers.ts";

/** Reads the facts of one session; `start` is the pod that was created and not recorded yet. */
export type Observe = (session: Session, start: UnrecordedStart | undefined) => Promise<SessionFacts>;

export interface ObserverDeps extends RuntimeObserverDeps {
  client: Pick<KubeClient, "find">;
  informers: SessionInformers;
  gateways: Pick<GatewayPresence, "reachableMs">;
  clock: Pick<Clock, "now">;
}

/** Reads all that a decision about a session rests on: caches, and the API server where a cache would condemn. */
export async function observeSession(
  deps: ObserverDeps,
  session: Session,
  start: UnrecordedStart | undefined,
): Promise<SessionFacts> {
  const { clock, gateways, informers } = deps;
  const uid = session.metadata.uid ?? "";
  const prompts = informers.prompts
    .byIndex(bySessionIndex, keyText(keyOf(session)))
    .filter((prompt) => prompt.metadata.deletionTimestamp === undefined && isOwnedBy(prompt, uid))
    .sort(byResourceVersion);
  const observed = informers.pods.byIndex(bySessionUidIndex, uid).filter((pod) => isSandboxOf(session, pod));
  const verdict = childVerdict(informers, session);
  const facts: SessionFacts = {
    session,
    ...(await promptsInTurn(deps.client, session, prompts)),
    pods: (await withExpected(deps, session, { start, observed })).map(observePod),
    secrets: informers.secrets.byIndex(bySessionUidIndex, uid).map(({ metadata }) => metadata),
    isSilent: false,
    connectHeldUntilMs: connectHeldUntilMs(gateways.reachableMs(), clock.now()),
    verdict,
    children: observeChildren(informers, session, clock.now()),
    start,
    ...(verdict?.kind === "refused" ? { obstacle: refusedBy(verdict) } : {}),
  };
  return { ...facts, ...(await observeRuntime(deps, facts)), volumeSnapshot: await observeVolume(deps, session) };
}

/** Asked for only while the volume is being saved. */
async function observeVolume({ client }: ObserverDeps, session: Session): Promise<SessionFacts["volumeSnapshot"]> {
  const { snapshotTime, endTime, volumeSnapshotClassName, podName = "" } = session.status?.sandbox ?? {};
  const isSaving = snapshotTime !== undefined && endTime === undefined && volumeSnapshotClassName !== undefined;
  if (!isSaving) return undefined;
  const { namespace } = session.metadata;
  const found = await client.find(volumeSnapshots, { namespace, name: podName });
  return found && { note: noteOf(found) };
}

function refusedBy({ message }: { message: string }): StartObstacle {
  return { kind: "refused", refusal: { reason: reasons.childRefused, message } };
}

/** A prompt of a session that had this name before is not this one's. People's prompts may have no owner. */
function isOwnedBy({ metadata }: Pick<Pod, "metadata">, sessionUid: string): boolean {
  const owners = (metadata.ownerReferences ?? []).filter(({ kind }) => kind === "Session");
  return owners.length === 0 || owners.some(({ uid }) => uid === sessionUid);
}

/** An unsettled prompt keeps the version of its creation, and versions grow as objects are stored. */
function byResourceVersion(left: Pick<Pod, "metadata">, right: Pick<Pod, "metadata">): number {
  return Number(left.metadata.resourceVersion) - Number(right.metadata.resourceVersion);
}

/** A pod that there should be and that the cache lacks is asked for before it counts as lost. */
async function withExpected(
  { client }: ObserverDeps,
  session: Session,
  { start, observed }: { start: UnrecordedStart | undefined; observed: Pod[] },
): Promise<Pod[]> {
  const { sandbox } = session.status ?? {};
  const expected = start ?? (sandbox?.endTime === undefined ? sandbox : undefined);
  if (!expected || observed.some(({ metadata }) => metadata.uid === expected.podUID)) return observed;
  const pod = await client.find(pods, { namespace: session.metadata.namespace, name: expected.podName });
  return pod && pod.metadata.uid === expected.podUID ? [...observed, pod] : observed;
}

function observePod(pod: Pod): ObservedPod {
  const { name = "", uid = "", resourceVersion } = pod.metadata;
  return { ...podState(pod), name, uid, resourceVersion, attempt: attemptOf(pod.metadata) };
}
