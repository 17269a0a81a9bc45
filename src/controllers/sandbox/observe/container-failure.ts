import { sandboxProgram } from "../../../api/runtime/pod-contract.ts";
import { type Reason, reasons } from "../../../api/v1alpha1/reasons.ts";
import type { Pod } from "../../../kube/core-resources.ts";

type ContainerStatus = NonNullable<NonNullable<Pod["status"]>["containerStatuses"]>[number];

/** Why a container cannot be started. */
export interface ContainerFailure {
  reason: Reason;
  message: string;
  /** Another try would meet it again. */
  isHopeless: boolean;
}

/** Reasons of kubelet and container runtimes for a container whose program did not begin. */
const notStarted: ReadonlySet<string> = new Set([
  "CreateContainerError",
  "RunContainerError",
  "StartError",
  "ContainerCannotRun",
]);
/** What container runtimes say of a program that the image does not have, or that may not be run. */
const isMissing = /no such file|not found|cannot find/i;
const isForbidden = /permission denied/i;

/** Why a container cannot be started, as its node says; undefined where it says nothing of the kind. */
export function containerFailure({ name, image, state }: ContainerStatus): ContainerFailure | undefined {
  const { reason = "", message = "" }: Said = state?.waiting ?? state?.terminated ?? {};
  if (!notStarted.has(reason)) return undefined;
  const lack = lackOf(message);
  return lack === undefined ? notYet(name, message || reason) : unusable(image, lack);
}

interface Said {
  reason?: string;
  message?: string;
}

function notYet(name: string, why: string): ContainerFailure {
  const message = `the ${name}'s container could not be started: ${why}`;
  return { reason: reasons.containerNotStarted, message, isHopeless: false };
}

function unusable(image: string, lack: string): ContainerFailure {
  const message = `image ${image} ${lack}; make it FROM the sandbox image of this release`;
  return { reason: reasons.imageUnusable, message, isHopeless: true };
}

function lackOf(message: string): string | undefined {
  if (!message.includes(sandboxProgram)) return undefined;
  if (isMissing.test(message)) return `has no ${sandboxProgram}, the program of every sandbox`;
  return isForbidden.test(message) ? `has a ${sandboxProgram} that its user may not run` : undefined;
}
