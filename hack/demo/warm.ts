import { Session } from "../../src/api/v1alpha1/index.ts";
import type { FollowedRun } from "../../test/e2e/support/follow.ts";
import type { Narrator } from "../../test/e2e/support/narrator.ts";
import { makePool, poolName, untilPoolIsFull } from "../../test/e2e/support/pool.ts";
import type { StagesMs } from "../../test/e2e/support/stages.ts";
import { kubectl, type Workbench } from "../../test/e2e/support/workbench.ts";
import { sideBySide } from "./side-by-side.ts";

/** When the same webhook's Runs reached each stage, in milliseconds. */
export interface WarmReport {
  coldStagesMs: StagesMs;
  warmStagesMs: StagesMs;
}

interface Stage {
  bench: Workbench;
  narrator: Narrator;
  namespace: string;
  className: string;
}

/** Has a sandbox wait, fires the same webhook, and shows its times beside those of a Run that had to start its own. */
export async function compareWithPool(
  { bench, narrator, namespace, className }: Stage,
  cold: FollowedRun,
  fire: () => Promise<FollowedRun>,
): Promise<WarmReport> {
  narrator.step(`SandboxPool ${poolName}: one sandbox waits, and the same webhook again`);
  await makePool(bench, { namespace, className, replicas: 1 });
  const waiting = await narrator.during("waiting for a sandbox that waits", () => untilPoolIsFull(bench, namespace));
  narrator.show(await kubectl(bench, ["-n", namespace, "get", "sandboxpools"]));
  const warm = await fire();
  const name = warm.run.status?.sessions?.[0]?.name ?? "";
  const { status } = await bench.client.get(Session, { namespace, name });
  if (!waiting.includes(status?.sandbox?.podUID ?? "")) throw new Error(`Session ${name} did not take what waited`);
  narrator.show(sideBySide(cold.stagesMs, warm.stagesMs));
  return { coldStagesMs: cold.stagesMs, warmStagesMs: warm.stagesMs };
}
