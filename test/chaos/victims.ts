import type { LocalCluster, NodeProgram } from "../../hack/cluster/cluster.ts";
import { oneOf, type Random } from "../kills/random.ts";
import { release } from "../e2e/support/install.ts";
import { type StoreName, storeNames, type Stores } from "./stores.ts";

const processes = ["controller", "ingress", "gateway"] as const;
type Process = (typeof processes)[number];

/** What can be killed: a process of the release, a store of its, or a program of the node. */
export type Victim = Process | StoreName | NodeProgram;

/** Where victims are. */
export interface Targets {
  cluster: LocalCluster;
  stores: Stores;
}

/** All that can be killed here. */
export function victimsOn({ programs }: Pick<LocalCluster, "programs">): Victim[] {
  return [...processes, ...storeNames, ...programs];
}

/** All victims in one random order after the other, so that each has its turn. */
export function* turns(victims: readonly Victim[], random: Random): Generator<Victim, never> {
  for (;;) {
    const left = [...victims];
    while (left.length > 0) {
      const victim = oneOf(random, left);
      left.splice(left.indexOf(victim), 1);
      yield victim;
    }
  }
}

/** SIGKILL; containers of the release are started again by the kubelet, and all else by {@link revive}. */
export async function kill({ cluster, stores }: Targets, victim: Victim): Promise<void> {
  if (isIn(processes, victim)) await cluster.killContainers({ namespace: release.namespace, name: victim });
  else if (isIn(storeNames, victim)) await stores.kill(victim);
  else await cluster.kill(victim);
}

export async function revive({ cluster, stores }: Targets, victim: Victim): Promise<void> {
  if (isIn(storeNames, victim)) await stores.start(victim);
  else if (!isIn(processes, victim)) await cluster.start(victim);
}

function isIn<T extends Victim>(those: readonly T[], victim: Victim): victim is T {
  return those.some((one) => one === victim);
}
