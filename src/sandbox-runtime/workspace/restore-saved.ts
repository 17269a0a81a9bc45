import { sleep } from "../../lib/sleep.ts";
import type { BootMode } from "../boot/environment.ts";
import type { WorkContext } from "../work-context.ts";
import type { RestoreOutcome } from "./workspace-streams.ts";

/** Wait between two tries, in milliseconds: the gateway may be restarting. */
const retryMs = 2_000;

/**
 * Restores the saved workspace or the prebuilt image, if there is one, trying until the boot budget ends. When the gateway finds that the blob
 * store has lost or damaged it or does not give an image for a while, or no save could have written it, the session begins with a fresh workspace. `restore` asks the gateway for it,
 * and says whether it was refused, so that the gateway sends it no more.
 */
export async function restoreSaved(
  { bundle, clock, publish }: Pick<WorkContext, "bundle" | "clock" | "publish">,
  restore: (isRefused: boolean) => Promise<RestoreOutcome>,
): Promise<BootMode> {
  if (bundle.hasWorkspace) return "snapshot_restore";
  if (bundle.build) return "build";
  const saved = savedIn(bundle);
  if (!saved) return "fresh";
  const { what, mode } = saved;
  let lastProblem: string | undefined;
  let isRefused = false;
  for (;;) {
    publish({ kind: "bootProgress", phase: "restore" });
    const outcome = await restore(isRefused);
    if (outcome === "restored") return mode;
    if (outcome === "missing") {
      const why = isRefused ? "is refused" : "is missing, damaged or out of reach in the blob store";
      publish({ kind: "warning", scope: "restore", message: `${what} ${why}; the session begins afresh` });
      return "fresh";
    }
    isRefused ||= "refused" in outcome;
    const problem = problemOf(outcome);
    if (problem !== lastProblem) publish({ kind: "warning", scope: "restore", message: `${what} ${problem}` });
    lastProblem = problem;
    await sleep(clock, retryMs);
  }
}

function problemOf(outcome: Exclude<RestoreOutcome, string>): string {
  if ("refused" in outcome) return `is refused: ${outcome.refused}`;
  return `could not be restored and is tried again: ${outcome.failed}`;
}

function savedIn({ restores, image }: WorkContext["bundle"]): { what: string; mode: BootMode } | undefined {
  if (restores !== undefined) return { what: "the saved workspace", mode: "snapshot_restore" };
  return image && { what: "the prebuilt image", mode: "repo_image" };
}
