import { connectHeldUntilMs } from "../../domain/clocks/session-clocks.ts";
import type { KubeClient } from "../../kube/client.ts";
import { type Pod, pods } from "../../kube/core-resources.ts";
import type { Clock } from "../../lib/clock.ts";
import { attemptOf } from "./labels.ts";
import type { AttemptFacts, CreatedAttempt, FoundSettings, ObservedPod, StartReading } from "./facts.ts";
import { byOwnerUidIndex, type SandboxInformers } from "./informers.ts";
import { chooseImage, type ImageChooserDeps } from "./images/choose.ts";
import type { GatewayPresence } from "./observe/gateway-presence.ts";
import { readPolicies } from "./observe/network-policies.ts";
import { ensureNewest } from "./observe/newest-attempt.ts";
import { isSandboxOf, isStray, withRead } from "./observe/own-pods.ts";
import { isAskedAbout, isSilent, waitingByEvents } from "./observe/pod-events.ts";
import { podState } from "./observe/pod-state.ts";
import { quietlyWaiting } from "./observe/pod-waiting.ts";
import { observeRuntime, type RuntimeObserverDeps } from "./observe/runtime.ts";
import { observeVolumeSnapshots } from "./observe/volume-snapshots.ts";
import type { AttemptOwner } from "./owner.ts";
import { readStartInputs, type StartCheckDeps, type StartInputs } from "./start/inputs.ts";
import { mayCreateFor } from "./start/standing.ts";

export interface AttemptObserverDeps extends RuntimeObserverDeps {
  client: Pick<KubeClient, "find" | "list">;
  clock: Pick<Clock, "now">;
  gateways: Pick<GatewayPresence, "reachableMs" | "outage">;
  informers: Pick<SandboxInformers, "pods" | "secrets" | "leases">;
}

/**
 * Reads what there is of an owner's attempts: caches, and the API server where a cache would condemn. `start` is the pod
 * that this process created and that the owner's status does not name yet.
 */
export async function observeAttempt(
  deps: AttemptObserverDeps,
  owner: AttemptOwner,
  start: CreatedAttempt | undefined,
): Promise<AttemptFacts> {
  const { clock, gateways, informers } = deps;
  const uid = owner.metadata.uid ?? "";
  const cached = informers.pods.byIndex(byOwnerUidIndex, uid).filter((pod) => isSandboxOf(owner, pod));
  const held = connectHeldUntilMs(gateways.reachableMs(), clock.now());
  const found = await withExpected(deps, owner, { start, cached });
  const stray = (pod: Pod): boolean => isStray(owner, pod, start?.podUID);
  const own = found.filter((pod) => !stray(pod));
  const strays = found.filter(stray);
  const secrets = informers.secrets.byIndex(byOwnerUidIndex, uid).map(({ metadata }) => metadata);
  const made = [...own.map(({ metadata }) => metadata), ...secrets];
  if (!start) await ensureNewest(deps.client, owner, { own: made, strays });
  return {
    pods: await Promise.all(own.map((pod) => withEvents(deps, owner, pod))),
    strays: strays.map(observePod),
    secrets,
    connectHeldUntilMs: held,
    gatewayOutage: gateways.outage(),
    ...(await observeRuntime(deps, owner, held)),
    ...(await observeVolumeSnapshots(deps.client, owner)),
    start,
  };
}

/** A pod that should exist and that the cache lacks is asked for before it counts as lost. */
async function withExpected(
  { client }: AttemptObserverDeps,
  owner: AttemptOwner,
  { start, cached }: { start: CreatedAttempt | undefined; cached: Pod[] },
): Promise<Pod[]> {
  const { metadata, record } = owner;
  const expected = start ?? (record?.endTime === undefined ? record : undefined);
  if (!expected || cached.some((pod) => pod.metadata.uid === expected.podUID)) return cached;
  const pod = await client.find(pods, { namespace: metadata.namespace, name: expected.podName });
  // One that was handed over is another owner's.
  return pod && pod.metadata.uid === expected.podUID && isSandboxOf(owner, pod) ? withRead(cached, pod) : cached;
}

/** Of the current attempt's pod that does not start, with what its Events say of it, or what is seen to take so long. */
async function withEvents(
  { client, clock }: AttemptObserverDeps,
  { record }: AttemptOwner,
  pod: Pod,
): Promise<ObservedPod> {
  const observed = observePod(pod);
  const isCurrent = record?.endTime === undefined && observed.attempt === record?.attempt;
  if (!isCurrent || !isSilent(observed) || !isAskedAbout(pod.metadata.creationTimestamp, clock.now())) return observed;
  return { ...observed, waiting: (await waitingByEvents(client, pod)) ?? quietlyWaiting(pod) };
}

function observePod(pod: Pod): ObservedPod {
  const { name = "", uid = "", resourceVersion } = pod.metadata;
  return { ...podState(pod), name, uid, resourceVersion, attempt: attemptOf(pod.metadata) };
}

export interface StartObserverDeps extends StartCheckDeps {
  /** What runtimes trust the gateway by, PEM; empty while there is none. */
  caBundle: () => string;
  /** The prebuilt image of a session's target; owners of other kinds have none. */
  images?: ImageChooserDeps | undefined;
  /** Addresses of the gateway as runtimes reach it, sorted; rejects while its name is unknown. */
  gatewayAddresses: () => Promise<readonly string[]>;
  /** Whether pods may have users of their own on every Node. */
  hasUserNamespaces: () => boolean;
}

/** Reads, live, what a start that is due needs. Rejects when something failed that may pass by itself. */
export async function observeStart(
  deps: StartObserverDeps,
  owner: AttemptOwner,
  settingsOf: (inputs: StartInputs) => FoundSettings,
): Promise<StartReading> {
  const { client } = deps;
  if (!(await mayCreateFor(client, owner))) return { kind: "gone" };
  const inputs = await readStartInputs(deps, owner);
  if ("lacksAccount" in inputs) return { kind: "lacksAccount", defaultClass: inputs.defaultClass };
  if (!inputs.ok) return { kind: "refused", refusal: inputs.refusal };
  const gatewayCa = deps.caBundle();
  if (gatewayCa === "") throw new Error("the gateway has no certificate yet");
  const policies = (await readPolicies(client, owner.metadata.namespace)) ?? [];
  const { dns } = inputs.value.sandboxClass.spec.egress;
  const gatewayAddresses = dns ? [] : await deps.gatewayAddresses();
  const settings = settingsOf(inputs.value);
  const beginsFresh = !owner.savedWorkspace || owner.savedWorkspace.problem !== undefined;
  const image = deps.images && beginsFresh ? await chooseImage(deps.images, owner, inputs.value) : undefined;
  const found = { gatewayCa, gatewayAddresses, hasUserNamespaces: deps.hasUserNamespaces(), policies };
  return { kind: "ready", ready: { inputs: inputs.value, settings, image, ...found } };
}
