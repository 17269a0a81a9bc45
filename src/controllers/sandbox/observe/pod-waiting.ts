import { type Reason, reasons } from "../../../api/v1alpha1/reasons.ts";
import type { Pod } from "../../../kube/core-resources.ts";
import { containerFailure } from "./container-failure.ts";
import {
  type ContainerStatus,
  exitOf,
  foreignName,
  foreignStep,
  initContainers,
  isOwnContainer,
} from "./foreign-containers.ts";
import { oneLine, withNextStep } from "./said.ts";

/** Why a pod is not running yet, where that is worth showing. */
export interface PodWaiting {
  reason: Reason;
  /** What was said, and what people can do. */
  message: string;
  /** No patience will help: the image cannot be had, or the container cannot be made. */
  isHopeless: boolean;
}

/** What a pod's status says it waits for. */
export function podWaiting(pod: Pod): PodWaiting | undefined {
  const containers = (pod.status?.containerStatuses ?? []).filter(isOwnContainer);
  const found = [
    ...initContainers(pod).flatMap((status) => foreignWaiting(status) ?? []),
    ...containers.flatMap((status) => ownWaiting(status) ?? []),
  ];
  return found.find(({ isHopeless }) => isHopeless) ?? found[0] ?? unscheduled(pod);
}

/** What the scheduler says: also that a gate of others holds the pod, as a job queue's does. */
function unscheduled({ status, spec }: Pod): PodWaiting | undefined {
  const scheduled = status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (scheduled?.status !== "False") return undefined;
  const { reason = "", message = "no node fits" } = scheduled;
  const said = reason === "Unschedulable" ? message : `${reason}: ${message}${gatesOf(spec)}`;
  return waitingFor(reasons.unschedulable, said, false);
}

function gatesOf(spec: Pod["spec"]): string {
  const names = spec?.schedulingGates?.map(({ name }) => name) ?? [];
  return names.length === 0 ? "" : ` (${names.join(", ")})`;
}

/** Waiting reasons of the kubelet that no retry of its own will change. */
const hopelessReasons = new Set(["InvalidImageName", "ErrImageNeverPull", "CreateContainerConfigError"]);
const imageReasons = new Set([
  "InvalidImageName",
  "ErrImageNeverPull",
  "ErrImagePull",
  "ImagePullBackOff",
  "ImageInspectError",
  "RegistryUnavailable",
  "SignatureValidationFailed",
]);
/** What registries say of an image that is not there or not for us; all else may be the network. */
const pullDenied =
  /not found|does not exist|manifest unknown|name unknown|denied|unauthorized|forbidden|no basic auth credentials|no match for platform/i;
/** The kubelet's own caches and disks, which are there in a moment, and say the same of a container. */
const isPassing = /timed out waiting for the condition|failed to sync \S+ cache|failed to prepare subPath/i;

function ownWaiting(container: ContainerStatus): PodWaiting | undefined {
  const { state, image } = container;
  if (!state?.waiting) return undefined;
  const { reason = "", message = "" } = state.waiting;
  const failure = containerFailure(container);
  if (failure) return waitingFor(failure.reason, failure.message, failure.isHopeless);
  const said = `${reason}: ${message}`;
  if (imageReasons.has(reason)) {
    return waitingFor(reasons.imagePullFailed, `image ${image}: ${said}`, isHopelessImage(reason, message));
  }
  if (!hopelessReasons.has(reason)) return undefined;
  const isHopeless = !isPassing.test(message);
  return waitingFor(isHopeless ? reasons.podRejected : reasons.containerNotStarted, said, isHopeless);
}

function isHopelessImage(reason: string, message: string): boolean {
  return hopelessReasons.has(reason) || pullDenied.test(message);
}

function waitingFor(reason: Reason, said: string, isHopeless: boolean): PodWaiting {
  return { reason, message: withNextStep(reason, oneLine(said)), isHopeless };
}

const begins: ReadonlySet<string> = new Set(["", "PodInitializing", "ContainerCreating"]);

/** An init container that was added, and keeps ours from beginning. Its image is nothing that the class can change. */
function foreignWaiting(container: ContainerStatus): PodWaiting | undefined {
  const { state, image } = container;
  const { reason = "", message = "" } = state?.waiting ?? {};
  if (begins.has(reason)) return undefined;
  const name = foreignName(container, "init container");
  const said = oneLine(`the ${name} waits: ${reason}: ${message}${lastExit(container)}`);
  const isImage = imageReasons.has(reason);
  return {
    reason: isImage ? reasons.imagePullFailed : reasons.containerNotStarted,
    message: `${isImage ? `image ${image}: ` : ""}${said}. ${foreignStep}`,
    isHopeless: isImage && isHopelessImage(reason, message),
  };
}

function lastExit(container: ContainerStatus): string {
  const { lastState: state } = container;
  return state?.terminated ? `; it ${exitOf({ ...container, state })} before` : "";
}

/** What keeps a pod from starting that says nothing of it for a while: an added init container at work, or a silent node. */
export function quietlyWaiting(pod: Pod): PodWaiting | undefined {
  const running = initContainers(pod).find(({ state, started }) => state?.running !== undefined && started !== true);
  if (running) {
    const said = `the ${foreignName(running, "init container")} has not ended yet`;
    return { reason: reasons.containerNotStarted, message: `${said}. ${foreignStep}`, isHopeless: false };
  }
  const { spec, status } = pod;
  const node = spec?.nodeName;
  if (node === undefined || (status?.containerStatuses ?? []).length > 0) return undefined;
  const said = `node ${node} has not begun with the pod. Check that the node is ready and its kubelet runs.`;
  return { reason: reasons.containerNotStarted, message: said, isHopeless: false };
}
