import type { Registry } from "prom-client";
import type { KubeClient } from "../kube/client.ts";
import { defineControllerMetrics } from "./metrics/controller-metrics.ts";
import { defineImageMetrics } from "./metrics/image-metrics.ts";
import { definePoolMetrics } from "./metrics/pool-metrics.ts";
import { defineRunMetrics } from "./metrics/run-metrics.ts";
import { defineSkillSetMetrics } from "./metrics/skill-set-metrics.ts";
import { type ControllersDeps, type RunningControllers, startControllers } from "./start-controllers.ts";

export interface RunControllersDeps extends Omit<
  ControllersDeps,
  "electionClient" | "runMetrics" | "imageMetrics" | "poolMetrics" | "skillSetRefused" | "identity"
> {
  registry: Registry;
  /** Used by the leader election alone, so that renewals of the Lease never wait behind the work. */
  electionConnection: { client: KubeClient; close(): Promise<void> };
}

/** Starts the process `runwright controller`, with its metrics, as one candidate for leadership. */
export function runControllers(deps: RunControllersDeps): RunningControllers {
  const { registry, electionConnection, podName, random } = deps;
  const controllers = startControllers({
    ...deps,
    electionClient: electionConnection.client,
    runMetrics: defineRunMetrics(registry),
    imageMetrics: defineImageMetrics(registry),
    poolMetrics: definePoolMetrics(registry),
    skillSetRefused: defineSkillSetMetrics(registry).refused,
    // A container that was restarted in its pod is another candidate.
    identity: `${podName}_${random.uuid()}`,
  });
  defineControllerMetrics(registry, controllers);
  return {
    ...controllers,
    async close() {
      await controllers.close();
      await electionConnection.close();
    },
  };
}
