import { sandboxContainers } from "../../../api/runtime/pod-contract.ts";
import type { Pod } from "../../../kube/core-resources.ts";
import { foreignProblem } from "./foreign-containers.ts";
import { disruptionOf, podEnd, type PodEnd } from "./pod-end.ts";
import { podWaiting, type PodWaiting } from "./pod-waiting.ts";

/** What a sandbox pod's status comes to. */
export interface PodState {
  /** The runtime's container was started. */
  isStarted: boolean;
  /** Deletion has begun, by any client. */
  isTerminating: boolean;
  /** Why Kubernetes evicts the pod, where it says so: a drain, a taint, preemption, pressure on its node. */
  disruption?: string | undefined;
  waiting?: PodWaiting | undefined;
  /** The pod or one of its own containers has ended: without its agent's container a sandbox is of no use either. */
  ended?: PodEnd | undefined;
  /** What a container that others added says of itself while it does not run as it should. */
  foreign?: string | undefined;
}

/** Judges a sandbox pod by its status alone. */
export function podState(pod: Pod): PodState {
  const runtime = pod.status?.containerStatuses?.find(({ name }) => name === sandboxContainers.runtime);
  return {
    isStarted: (runtime?.state?.running ?? runtime?.state?.terminated) !== undefined,
    isTerminating: pod.metadata.deletionTimestamp !== undefined,
    disruption: disruptionOf(pod),
    waiting: podWaiting(pod),
    ended: podEnd(pod),
    foreign: foreignProblem(pod),
  };
}
