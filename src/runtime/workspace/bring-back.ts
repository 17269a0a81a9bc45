import type { Clock } from "../../lib/clock.ts";
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
  if (bundle.restores === undefined) return "fresh";
  for (;;) {
    publish({ kind: "bootProgress", phase: "restore" });
    const outcome = await restore();
    if (outcome === "restored") return "snapshot_restore";
    if (outcome === "missing") {
      const message = "the saved workspace is not in the blob store any more; the session begins afresh";
      publish({ kind: "warning", scope: "restore", message });
      return "fresh";
    }
    await delay(clock, againMs);
  }
}

function delay(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.setTimeout(resolve, ms));
}
