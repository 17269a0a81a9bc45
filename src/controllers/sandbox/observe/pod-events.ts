import { reasons } from "../../../api/v1alpha1/reasons.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { type Event, events, type Pod } from "../../../kube/core-resources.ts";
import type { PodState } from "./pod-state.ts";
import type { PodWaiting } from "./pod-waiting.ts";
import { oneLine, withNextStep } from "./said.ts";

/** A pod that has not started for so long is asked about, in milliseconds: usually it has by then. */
const askedAfterMs = 20_000;
/** How often it is asked about without an event of ours, in milliseconds. */
const askedEveryMs = 30_000;

/** What keeps a pod from starting and is in no status: volumes, the network, the runtime of its RuntimeClass. */
const telling: ReadonlySet<string> = new Set([
  "FailedMount",
  "FailedAttachVolume",
  "FailedMapVolume",
  "FailedCreatePodSandBox",
  "FailedPodSandBoxStatus",
  "NetworkNotReady",
]);

/** Whether only Events may say why a pod does not start. */
export function isSilent(state: Pick<PodState, "isStarted" | "isTerminating" | "waiting" | "ended">): boolean {
  return !state.isStarted && !state.isTerminating && !state.waiting && !state.ended;
}

/** The same of one whose Events have been asked for already. */
function isAskable({ waiting, ...state }: Parameters<typeof isSilent>[0]): boolean {
  return isSilent({ ...state, waiting: waiting?.reason === reasons.containerNotStarted ? undefined : waiting });
}

/** Whether a pod of this age is asked about. */
export function isAskedAbout(createTime: string | undefined, now: Date): boolean {
  return createTime !== undefined && now.getTime() - Date.parse(createTime) >= askedAfterMs;
}

/** When a pod that does not start is looked at again, in milliseconds since 1970, as Events of pods are not watched; undefined: it says enough. */
export function askedAboutAt(
  pod: Parameters<typeof isSilent>[0] | undefined,
  createTime: string,
  now: Date,
): number | undefined {
  if (!pod || !isAskable(pod)) return undefined;
  const firstMs = Date.parse(createTime) + askedAfterMs;
  return now.getTime() < firstMs ? firstMs : now.getTime() + askedEveryMs;
}

/** What a pod waits for by its Events; undefined where they say nothing, or cannot be read, as what they say is for people alone. */
export async function waitingByEvents(
  client: Pick<KubeClient, "list">,
  { metadata }: Pick<Pod, "metadata">,
): Promise<PodWaiting | undefined> {
  const { namespace, uid = "" } = metadata;
  const found = await client
    .list(events, { namespace, fieldSelector: `regarding.uid=${uid},type=Warning` })
    .catch(() => ({ items: [] }));
  return waitingOf(found.items);
}

/** What the latest Event that tells of the kind says. */
export function waitingOf(all: readonly Event[]): PodWaiting | undefined {
  const told = all.filter(({ reason = "" }) => telling.has(reason));
  const [latest] = told.toSorted((one, other) => timeOf(other) - timeOf(one));
  if (!latest) return undefined;
  const reason = reasons.containerNotStarted;
  const said = oneLine(`${latest.reason ?? ""}: ${latest.note ?? ""}`);
  return { reason, message: withNextStep(reason, said), isHopeless: false };
}

/** Their times are written in three ways, of which each is left out or null where it is not the one. */
function timeOf({ series, deprecatedLastTimestamp, eventTime, metadata }: Event): number {
  const times: (string | null | undefined)[] = [
    series?.lastObservedTime,
    deprecatedLastTimestamp,
    eventTime,
    metadata.creationTimestamp,
  ];
  return Date.parse(times.find((time) => typeof time === "string") ?? "") || 0;
}
