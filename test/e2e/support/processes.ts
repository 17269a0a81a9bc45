import { type Pod, pods } from "../../../src/kube/core-resources.ts";
import { deployments } from "../../support/core-resources.ts";
import { waitForDeployments } from "./deployments.ts";
import { release } from "./install.ts";
import { kubectl } from "./workbench.ts";
import { until } from "../../support/kube.ts";
import type { Stage } from "./tenant.ts";

export const processes = ["controller", "ingress", "gateway"] as const;
type Process = (typeof processes)[number];

const { namespace } = release;
const deploymentOf = (process: Process): string => `${release.name}-${process}`;
const selectorOf = (process: Process): string =>
  `app.kubernetes.io/instance=${release.name},app.kubernetes.io/component=${process}`;

/** Kills all pods of a process at once, without any grace. */
export async function killPods({ bench }: Stage, process: Process): Promise<void> {
  const how = ["--grace-period=0", "--force", "--wait=false"];
  await kubectl(bench, ["-n", namespace, "delete", "pods", "-l", selectorOf(process), ...how]);
}

/** Waits until all processes are there in full again. */
export async function untilRecovered(stage: Stage): Promise<void> {
  // A Deployment's status may still count the pods that were killed.
  for (const process of processes) await until(`pods of the ${process}`, () => hasReadyPods(stage, process), 300_000);
  await waitForDeployments(stage.bench, { namespace, names: processes.map(deploymentOf) }, stage.narrator);
}

async function hasReadyPods({ bench: { client } }: Stage, process: Process): Promise<boolean> {
  const { spec } = await client.get(deployments, { namespace, name: deploymentOf(process) });
  const { items } = await client.list(pods, { namespace, labelSelector: selectorOf(process) });
  return items.filter(isReady).length === (spec?.replicas ?? 1);
}

function isReady({ metadata, status }: Pod): boolean {
  const isTrue = status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True");
  return isTrue === true && metadata.deletionTimestamp === undefined;
}
