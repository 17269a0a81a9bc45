import { sandboxContainers } from "../../../api/runtime/pod-contract.ts";
import type { Pod } from "../../../kube/core-resources.ts";

export type ContainerStatus = NonNullable<NonNullable<Pod["status"]>["containerStatuses"]>[number];

const own: ReadonlySet<string> = new Set(Object.values(sandboxContainers));

/** Whether a container is one that we put into the pod; all others were added by admission of the cluster. */
export function isOwnContainer({ name }: Pick<ContainerStatus, "name">): boolean {
  return own.has(name);
}

/** Init containers; ours have none, so each was added. */
export function initContainers({ status }: Pick<Pod, "status">): readonly ContainerStatus[] {
  return status?.initContainerStatuses ?? [];
}

/** How messages name an added container. */
export function foreignName({ name }: Pick<ContainerStatus, "name">, kind: "container" | "init container"): string {
  return `${kind} ${name}, which an admission webhook of the cluster added,`;
}

/** What people can do about an added container. */
export const foreignStep =
  "Ask who runs that webhook, or have it leave out pods with the label app.kubernetes.io/component=sandbox.";

/** How a container ended, for people. */
export function exitOf({ state }: ContainerStatus): string {
  const { exitCode, reason = "" } = state?.terminated ?? {};
  return reason === "OOMKilled" ? "ran out of memory" : `exited with ${String(exitCode)}`;
}

/** What an added container that does not run as it should says; undefined: all of them run, or there are none. */
export function foreignProblem({ status }: Pick<Pod, "status">): string | undefined {
  const [found] = (status?.containerStatuses ?? []).flatMap((one) => {
    const said = isOwnContainer(one) ? undefined : troubleOf(one);
    return said === undefined ? [] : [`${foreignName(one, "container")} ${said}`];
  });
  return found;
}

const notTrouble: ReadonlySet<string> = new Set(["", "ContainerCreating", "PodInitializing"]);

function troubleOf({ state, ...status }: ContainerStatus): string | undefined {
  if (state?.terminated && state.terminated.exitCode !== 0) return exitOf({ state, ...status });
  const { reason = "", message = "" } = state?.waiting ?? {};
  return notTrouble.has(reason) ? undefined : `waits: ${reason}: ${message}`;
}
