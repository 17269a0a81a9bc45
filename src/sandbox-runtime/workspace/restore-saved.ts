import { sleep } from "../../lib/sleep.ts";
import type { BootMode } from "../boot/environment.ts";
import type { WorkContext } from "../work-context.ts";
import type { RestoreOutcome } from "./workspace-streams.ts";

/** Wait between two tries, in milliseconds: the gateway may be restarting. */
const retryMs = 2_000;

/**
 * Restores the saved workspace or the prebuilt image, if there is one, trying until the boot budget ends. When the gateway finds that the blob
 * store has lost or damaged it, the session begins with a fresh workspace.
 */
export async function restoreSaved(
  { bundle, clock, publish }: Pick<WorkContext, "bundle" | "clock" | "publish">,
  restore: () => Promise<RestoreOutcome>,
): Promise<BootMode> {
  if (bundle.hasWorkspace) return "snapshot_restore";
  if (bundle.build) return "build";
  const saved = savedIn(bundle);
  if (!saved) return "fresh";
  const { what, mode } = saved;
  let lastProblem: string | undefined;
  for (;;) {
    publish({ kind: "bootProgress", phase: "restore" });
    const outcome = await restore();
    if (outcome === "restored") return mode;
    if (outcome === "missing") {
      const message = `${what} is missing or damaged in the blob store; the session begins afresh`;
      publish({ kind: "warning", scope: "restore", message });
      return "fresh";
    }
    if (outcome.failed !== lastProblem) {
      const message = `${what} could not be restored and is tried again: ${outcome.failed}`;
      publish({ kind: "warning", scope: "restore", message });
      lastProblem = outcome.failed;
    }
    await sleep(clock, retryMs);
  }
}

function savedIn({ restores, image }: WorkContext["bundle"]): { what: string; mode: BootMode } | undefined {
  if (restores !== undefined) return { what: "the saved workspace", mode: "snapshot_restore" };
  return image && { what: "the prebuilt image", mode: "repo_image" };
}
