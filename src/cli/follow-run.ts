import { Run } from "../api/v1alpha1/index.ts";
import { isSettled, isStarted } from "../domain/runs/index.ts";
import { sleep } from "../kube/sleep.ts";
import { keyOf } from "../lib/resource.ts";
import { CliError } from "./cli-error.ts";
import type { Invocation } from "./command.ts";

/** Pauses between looks, in milliseconds; the last one repeats. */
const pausesMs = [50, 100, 200, 500, 1_000];

export type Progress = "judged" | "ended";

/**
 * Looks at a Run until it has got so far, or until the time is over; returns it as it was last seen.
 * @throws CliError when it is deleted meanwhile
 */
export async function followRun(
  { cluster, clock }: Pick<Invocation, "cluster" | "clock">,
  run: Run,
  { until, forMs }: { until: Progress; forMs: number },
): Promise<Run> {
  const endMs = clock.monotonicMs() + forMs;
  const key = keyOf(run);
  let seen = run;
  for (let looks = 0; !hasCome(seen, until) && clock.monotonicMs() < endMs; looks += 1) {
    const pauseMs = pausesMs[Math.min(looks, pausesMs.length - 1)] ?? 0;
    await sleep(clock, Math.min(pauseMs, endMs - clock.monotonicMs()));
    const found = await cluster().client.find<Run>(Run, key);
    if (!found) throw new CliError(`Run ${key.namespace}/${key.name} was deleted while it was waited for`);
    seen = found;
  }
  return seen;
}

/** Whether the Run has got so far. */
export function hasCome(run: Run, progress: Progress): boolean {
  return isSettled(run) || (progress === "judged" && isStarted(run));
}
