import { sandboxContainers } from "../../../api/runtime/pod-contract.ts";
import { type Reason, reasons } from "../../../api/v1alpha1/reasons.ts";
import type { Pod } from "../../../kube/core-resources.ts";
import { cutMiddle } from "../../../lib/characters.ts";
import { containerFailure } from "./container-failure.ts";

type ContainerStatus = NonNullable<NonNullable<Pod["status"]>["containerStatuses"]>[number];

/** Why a pod is not running yet, where that is worth showing. */
export interface PodWaiting {
  reason: Reason;
  message: string;
  /** No patience will help: the image cannot be had, or the container cannot be made. */
  isHopeless: boolean;
}

/** What a sandbox pod's status comes to. */
export interface PodState {
  /** The runtime's container was started. */
  isStarted: boolean;
  /** Deletion has begun, by any client. */
  isTerminating: boolean;
  /** Why Kubernetes evicts the pod, where it says so: a drain, a taint, preemption, pressure on its node. */
  disruption?: string | undefined;
  waiting?: PodWaiting | undefined;
  /** The pod or one of its containers has ended: without its agent's container a sandbox is of no use either. */
  ended?: { reason: Reason; message: string } | undefined;
}

const longestMessage = 512;

/** Judges a sandbox pod by its status alone. */
export function podState(pod: Pod): PodState {
  const runtime = pod.status?.containerStatuses?.find(({ name }) => name === sandboxContainers.runtime);
  return {
    isStarted: (runtime?.state?.running ?? runtime?.state?.terminated) !== undefined,
    isTerminating: pod.metadata.deletionTimestamp !== undefined,
    disruption: disruptionOf(pod),
    waiting: waitingOf(pod),
    ended: endedOf(pod),
  };
}

function disruptionOf({ status }: Pod): string | undefined {
  const found = status?.conditions?.find(({ type }) => type === "DisruptionTarget");
  return found?.status === "True" ? shorten(`${found.reason ?? ""}: ${found.message ?? ""}`) : undefined;
}

function endedOf(pod: Pod): PodState["ended"] {
  const { status = {} } = pod;
  const terminated = status.containerStatuses?.find(({ state }) => state?.terminated !== undefined);
  const hasEnded = status.phase === "Failed" || status.phase === "Succeeded";
  return hasEnded || terminated ? causeOf(pod, terminated) : undefined;
}

function causeOf(pod: Pod, ended: ContainerStatus | undefined): NonNullable<PodState["ended"]> {
  const { status = {} } = pod;
  if (status.reason === "DeadlineExceeded") {
    return { reason: reasons.sandboxLifetimeEnded, message: "the pod reached its activeDeadlineSeconds" };
  }
  if (ended?.state?.terminated?.reason === "OOMKilled") {
    return { reason: reasons.outOfMemory, message: `the ${ended.name}'s container ran out of memory` };
  }
  const failure = ended && containerFailure(ended);
  // Another node, or another moment, may be able to start it.
  if (failure)
    return { reason: failure.isHopeless ? failure.reason : reasons.sandboxLost, message: shorten(failure.message) };
  return { reason: reasons.sandboxLost, message: shorten(endSaid(pod, ended)) };
}

function endSaid(pod: Pod, ended: ContainerStatus | undefined): string {
  const { reason, message = "" } = pod.status ?? {};
  if (reason) return `the pod ended by itself: ${reason}: ${message}${limitOf(message)}`;
  const disruption = disruptionOf(pod);
  return disruption === undefined ? `the pod ended by itself: ${exitOf(ended)}` : `the pod was ended: ${disruption}`;
}

/** Where the limit of a volume without a claim is set, which a sandbox has filled. */
function limitOf(evicted: string): string {
  const isFull = /EmptyDir volume "(workspace|home|tmp)" exceeds/.test(evicted);
  return isFull ? " It is the class's workspaceSizeLimit: write less, or raise it" : "";
}

function exitOf(ended: ContainerStatus | undefined): string {
  const code = ended?.state?.terminated?.exitCode;
  return code === undefined ? "no container says why" : `the ${ended?.name ?? ""}'s container exited with ${code}`;
}

function waitingOf(pod: Pod): PodWaiting | undefined {
  const containers = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const found = containers.flatMap((status) => containerWaiting(status) ?? []);
  return found.find(({ isHopeless }) => isHopeless) ?? found[0] ?? unschedulable(pod);
}

function unschedulable(pod: Pod): PodWaiting | undefined {
  const scheduled = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (scheduled?.status !== "False" || scheduled.reason !== "Unschedulable") return undefined;
  const message = shorten(scheduled.message ?? "no node fits");
  return { reason: reasons.unschedulable, message, isHopeless: false };
}

/** Waiting reasons of the kubelet that no retry of its own will change. */
const hopelessReasons = new Set(["InvalidImageName", "ErrImageNeverPull", "CreateContainerConfigError"]);
const imageReasons = new Set([
  "InvalidImageName",
  "ErrImageNeverPull",
  "ErrImagePull",
  "ImagePullBackOff",
  "RegistryUnavailable",
  "SignatureValidationFailed",
]);
/** What registries say of an image that is not there or not for us; all else may be the network. */
const pullDenied = /not found|does not exist|manifest unknown|denied|unauthorized|forbidden|no basic auth credentials/i;

function containerWaiting(container: ContainerStatus): PodWaiting | undefined {
  const { state, image } = container;
  if (!state?.waiting) return undefined;
  const { reason = "", message = "" } = state.waiting;
  const failure = containerFailure(container);
  if (failure) return { ...failure, message: shorten(failure.message) };
  const said = `${reason}: ${message}`;
  if (imageReasons.has(reason)) {
    const isHopeless = hopelessReasons.has(reason) || pullDenied.test(message);
    return { reason: reasons.imagePullFailed, message: shorten(`image ${image}: ${said}`), isHopeless };
  }
  if (!hopelessReasons.has(reason)) return undefined;
  return { reason: reasons.podRejected, message: shorten(said), isHopeless: true };
}

/** One line of at most {@link longestMessage} characters, since conditions show it. */
function shorten(text: string): string {
  return cutMiddle(text.replace(/\s+/g, " ").trim(), longestMessage);
}
