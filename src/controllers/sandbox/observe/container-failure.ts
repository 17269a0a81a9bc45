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
/** What runc says of a memory limit in which no program can begin. */
const hasNoRoom = /container init was OOM-killed/i;

/** Why a container cannot be started, as its node says; undefined where it says nothing of the kind. */
export function containerFailure({ name, image, state }: ContainerStatus): ContainerFailure | undefined {
  const said: Said = state?.waiting ?? state?.terminated ?? {};
  return notStarted.has(said.reason ?? "") ? failureOf({ name, image }, said) : undefined;
}

function failureOf({ name, image }: Pick<ContainerStatus, "name" | "image">, said: Said): ContainerFailure {
  const { reason = "", message = "" } = said;
  const lack = lackOf(message);
  if (lack !== undefined) return unusable(image, lack);
  return hasNoRoom.test(message) ? withoutRoom(name, message) : notYet(name, message || reason);
}

interface Said {
  reason?: string;
  message?: string;
}

function notYet(name: string, why: string): ContainerFailure {
  const message = `the ${name}'s container could not be started: ${why}`;
  return { reason: reasons.containerNotStarted, message, isHopeless: false };
}

/** The limit is the same on each node. */
function withoutRoom(name: string, why: string): ContainerFailure {
  return { ...notYet(name, why), reason: reasons.podRejected, isHopeless: true };
}

function unusable(image: string, lack: string): ContainerFailure {
  return { reason: reasons.imageUnusable, message: `image ${image} ${lack}`, isHopeless: true };
}

function lackOf(message: string): string | undefined {
  if (!message.includes(sandboxProgram)) return undefined;
  if (isMissing.test(message)) return `has no ${sandboxProgram}, the program of every sandbox`;
  return isForbidden.test(message) ? `has a ${sandboxProgram} that its user may not run` : undefined;
}
