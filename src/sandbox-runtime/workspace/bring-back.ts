import { sleep } from "../../lib/sleep.ts";
import type { BootMode } from "../steps/environment.ts";
import type { WorkContext } from "../steps/work-context.ts";
import type { Restored } from "./workspace-streams.ts";

/** Between two tries, in milliseconds: the gateway may be starting anew. */
const againMs = 2_000;

/**
 * Has the saved workspace brought back where there is one, however often it takes; the boot budget bounds it. Where the
 * store has lost it the session begins afresh, which is better than never.
 */
export async function bringBack(
  { bundle, clock, publish }: Pick<WorkContext, "bundle" | "clock" | "publish">,
  restore: () => Promise<Restored>,
): Promise<BootMode> {
  if (bundle.hasWorkspace) return "snapshot_restore";
  if (bundle.restores === undefined) return "fresh";
  let lastProblem: string | undefined;
  for (;;) {
    publish({ kind: "bootProgress", phase: "restore" });
    const outcome = await restore();
    if (outcome === "restored") return "snapshot_restore";
    if (outcome === "missing") {
      const message = "the saved workspace is not in the blob store any more; the session begins afresh";
      publish({ kind: "warning", scope: "restore", message });
      return "fresh";
    }
    if (outcome.failed !== lastProblem) {
      const message = `the saved workspace could not be brought back and is tried again: ${outcome.failed}`;
      publish({ kind: "warning", scope: "restore", message });
      lastProblem = outcome.failed;
    }
    await sleep(clock, againMs);
  }
}
