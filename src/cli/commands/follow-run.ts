import { Run } from "../../api/v1alpha1/index.ts";
import { isSettled, isStarted } from "../../domain/runs/run-state.ts";
import { keyOf } from "../../lib/resource.ts";
import { CliError } from "../cli-error.ts";
import type { Invocation } from "../command.ts";
import { poll } from "./poll.ts";

export type Progress = "judged" | "ended";

/**
 * Reads a Run repeatedly until it is judged or ended, at most for `forMs`; returns it as it was read last.
 * @throws CliError when it is deleted meanwhile
 */
export async function followRun(
  { cluster, clock }: Pick<Invocation, "cluster" | "clock">,
  run: Run,
  { until, forMs }: { until: Progress; forMs: number },
): Promise<Run> {
  if (hasReached(run, until)) return run;
  const key = keyOf(run);
  const look = async (): Promise<Run> => {
    const found = await cluster().client.find<Run>(Run, key);
    if (!found) throw new CliError(`Run ${key.namespace}/${key.name} was deleted while it was waited for`);
    return found;
  };
  return poll(clock, look, { isEnough: (seen) => hasReached(seen, until), forMs });
}

/** Whether the Run has been judged, or has ended. */
export function hasReached(run: Run, progress: Progress): boolean {
  return isSettled(run) || (progress === "judged" && isStarted(run));
}
