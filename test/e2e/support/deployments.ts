import { setTimeout as delay } from "node:timers/promises";

import { pods, type Pod } from "../../../src/kube/core-resources.ts";
import { deployments, type Deployment } from "../../support/core-resources.ts";
import type { Narrator } from "./narrator.ts";
import { kubectl, type Workbench } from "./workbench.ts";

const limitMs = 180_000;
const pollMs = 250;

/** Waits until all replicas of the Deployments are up to date and available; throws with what their pods say. */
export async function waitForDeployments(
  bench: Workbench,
  { namespace, names }: { namespace: string; names: readonly string[] },
  narrator: Narrator,
): Promise<void> {
  const waiting = new Set(names);
  let crashing: string[] = [];
  const look = async (): Promise<void> => {
    const deadline = performance.now() + limitMs;
    while (waiting.size > 0) {
      for (const name of waiting) {
        if (isRolledOut(await bench.client.get(deployments, { namespace, name }))) waiting.delete(name);
      }
      const unready = await podsOf(bench, namespace, [...waiting]);
      crashing = unready.filter(isCrashing).map(describePod);
      if (performance.now() > deadline) throw new Error(await explain(bench, namespace, [...waiting]));
      await delay(pollMs);
    }
  };
  const detail = (): string => [`left: ${[...waiting].join(", ")}`, ...crashing].join("; ");
  await narrator.during(`waiting for ${names.join(", ")}`, look, detail);
}

/** What `kubectl rollout status` asks for, old pods gone included. */
export function isRolledOut({ metadata, spec, status }: Deployment): boolean {
  const wanted = spec?.replicas ?? 1;
  const isSeen = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  const counts = [status?.replicas, status?.updatedReplicas, status?.availableReplicas];
  return isSeen && counts.every((count) => (count ?? 0) === wanted);
}

async function explain(bench: Workbench, namespace: string, names: readonly string[]): Promise<string> {
  const lines = (await podsOf(bench, namespace, names)).map(describePod);
  const logs = await Promise.all(
    names.map((name) =>
      kubectl(bench, ["-n", namespace, "logs", `deployment/${name}`, "--tail=20"]).catch((error: unknown) =>
        String(error),
      ),
    ),
  );
  return [`not available within ${limitMs / 1000} s: ${names.join(", ")}`, ...lines, ...logs].join("\n");
}

async function podsOf({ client }: Workbench, namespace: string, names: readonly string[]): Promise<Pod[]> {
  if (names.length === 0) return [];
  const { items } = await client.list(pods, { namespace });
  return items.filter(({ metadata }) => names.some((name) => metadata.name?.startsWith(`${name}-`)));
}

function isCrashing({ status }: Pod): boolean {
  return (status?.containerStatuses ?? []).some(
    ({ state, restartCount }) => restartCount > 0 && state?.running === undefined,
  );
}

/** One line on what keeps a pod from being ready. */
export function describePod({ metadata, status }: Pod): string {
  const states = (status?.containerStatuses ?? []).map((container) => {
    const { name, ready, restartCount } = container;
    return `${name}: ${ready ? "ready" : "not ready"} ${reasonOf(container)} (${restartCount} restarts)`;
  });
  const unmet = (status?.conditions ?? []).filter(({ status: is, message }) => is !== "True" && message !== undefined);
  return [metadata.name, status?.phase, ...states, ...unmet.map(({ message }) => message)].join(" · ");
}

type ContainerStatus = NonNullable<NonNullable<Pod["status"]>["containerStatuses"]>[number];

function reasonOf({ state, lastState }: ContainerStatus): string {
  const reasons = [state?.waiting?.reason, state?.terminated?.reason, lastState?.terminated?.reason];
  return reasons.find((reason) => reason !== undefined) ?? "";
}
