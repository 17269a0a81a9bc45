import { sandboxContainers } from "../../../api/runtime/pod-contract.ts";
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
import { lastWords } from "./last-words.ts";
import { oneLine, withNextStep } from "./said.ts";

/** Why a pod is of no use any more. */
export interface PodEnd {
  reason: Reason;
  message: string;
  /** The last line of the agent's container. The agent can write it as well, so it counts only before any of its programs could run. */
  agentSaid?: string | undefined;
}

/** How a pod has ended, or a container without which a sandbox is of no use; undefined while it goes on. */
export function podEnd(pod: Pod): PodEnd | undefined {
  const { status = {} } = pod;
  const ended = firstEnded(status.containerStatuses ?? []);
  const hasEnded = status.phase === "Failed" || status.phase === "Succeeded";
  return hasEnded || ended ? causeOf(pod, ended) : undefined;
}

/** Of our containers that have ended, the one that took the others with it. */
function firstEnded(containers: readonly ContainerStatus[]): ContainerStatus | undefined {
  const ended = containers.filter((one) => isOwnContainer(one) && one.state?.terminated !== undefined);
  const told = ended.find((one) => containerFailure(one) ?? isOutOfMemory(one));
  return told ?? ended.toSorted((one, other) => finishedMs(one) - finishedMs(other))[0];
}

function isOutOfMemory({ state }: ContainerStatus): boolean {
  return state?.terminated?.reason === "OOMKilled";
}

function finishedMs({ state }: ContainerStatus): number {
  return Date.parse(state?.terminated?.finishedAt ?? "") || 0;
}

const memoryOf: Readonly<Record<string, string>> = {
  [sandboxContainers.agent]: "resources.limits.memory",
  [sandboxContainers.runtime]: "runtimeResources.limits.memory",
};

function causeOf(pod: Pod, ended: ContainerStatus | undefined): PodEnd {
  const { status = {} } = pod;
  if (status.reason === "DeadlineExceeded") {
    return { reason: reasons.sandboxLifetimeEnded, message: "the pod reached its activeDeadlineSeconds" };
  }
  return (
    (ended && outOfMemory(ended)) ??
    (ended && notStarted(ended)) ??
    ofWholePod(pod) ??
    foreignEnd(pod, ended) ??
    ofContainer(pod, ended)
  );
}

function outOfMemory(ended: ContainerStatus): PodEnd | undefined {
  if (!isOutOfMemory(ended)) return undefined;
  const step = `Raise ${memoryOf[ended.name] ?? ""} of the SandboxClass.`;
  return { reason: reasons.outOfMemory, message: `the ${ended.name}'s container ran out of memory. ${step}` };
}

function notStarted(ended: ContainerStatus): PodEnd | undefined {
  const failure = containerFailure(ended);
  // Another node, or another moment, may be able to start it.
  return failure && told(failure.isHopeless ? failure.reason : reasons.sandboxLost, oneLine(failure.message));
}

/** Refusals of a node that every other node repeats. */
const refusedByNodes: ReadonlySet<string> = new Set([
  "SysctlForbidden",
  "AppArmor",
  "PodOSNotSupported",
  "PodOSSelectorNodeLabelDoesNotMatch",
  "PodFeatureUnsupported",
]);
/** The kubelet's words for a sandbox that wrote more than it may; the next one would, too. */
const isFull =
  /EmptyDir volume "[^"]*" exceeds|local storage usage exceeds|exceeded its local ephemeral storage limit/i;
/** Volumes that are as large as the class's workspace. */
const isOfWorkspace = /EmptyDir volume "(?:workspace|home|tmp)" exceeds/;

/** What the kubelet says of the whole pod. */
function ofWholePod({ status = {} }: Pod): PodEnd | undefined {
  const { reason: said, message = "" } = status;
  if (!said) return undefined;
  const words = oneLine(`the pod ended by itself: ${said}: ${message}`);
  if (isOfWorkspace.test(message)) {
    const step = "It is the class's workspaceSizeLimit: write less, or raise it.";
    return { reason: reasons.outOfStorage, message: `${words.replace(/\.$/, "")}. ${step}` };
  }
  if (isFull.test(message)) return told(reasons.outOfStorage, words);
  return told(refusedByNodes.has(said) ? reasons.podRejected : reasons.sandboxLost, words);
}

function told(reason: Reason, said: string): PodEnd {
  return { reason, message: withNextStep(reason, said) };
}

/** An added init container that failed, so that ours never began. */
function foreignEnd(pod: Pod, ended: ContainerStatus | undefined): PodEnd | undefined {
  const failed = initContainers(pod).find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
  if (ended || !failed) return undefined;
  const why = failed.state?.terminated?.message;
  const said = `the pod ended by itself: ${foreignName(failed, "init container")} ${exitOf(failed)}`;
  const message = `${oneLine(why ? `${said}: ${why}` : said)}. ${foreignStep}`;
  return { reason: reasons.sandboxLost, message };
}

function ofContainer(pod: Pod, ended: ContainerStatus | undefined): PodEnd {
  const disruption = disruptionOf(pod);
  if (disruption !== undefined) return told(reasons.sandboxLost, oneLine(`the pod was ended: ${disruption}`));
  if (!ended) return told(reasons.sandboxLost, "the pod ended by itself: no container says why");
  const message = `the pod ended by itself: the ${ended.name}'s container ${exitOf(ended)}`;
  const words = lastWords(ended.state?.terminated?.message);
  if (ended.name !== sandboxContainers.agent) {
    return told(reasons.sandboxLost, oneLine(words === undefined ? message : `${message}: ${words}`));
  }
  return { ...told(reasons.sandboxLost, message), ...(words !== undefined && { agentSaid: words }) };
}

/** Why Kubernetes evicts the pod, where it says so. */
export function disruptionOf({ status }: Pick<Pod, "status">): string | undefined {
  const found = status?.conditions?.find(({ type }) => type === "DisruptionTarget");
  return found?.status === "True" ? oneLine(`${found.reason ?? ""}: ${found.message ?? ""}`) : undefined;
}
