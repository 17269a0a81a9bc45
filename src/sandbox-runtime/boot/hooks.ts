import type { BundleRepository } from "../../api/runtime/bundle.ts";
import { describeEnd } from "../local/describe-end.ts";
import { CommandTail } from "../output/command-tail.ts";
import { runWithEvents } from "../output/run-with-events.ts";
import { checkoutOf, type WorkContext } from "../work-context.ts";
import type { PlatformVariables } from "./environment.ts";

export type Hook = "setup" | "start";

/** A missing hook is a success; the executable bit does not matter. */
const runIfThere = '[ -f "$0" ] || exit 0; exec bash "$0"';

/** Runs one hook of one repository; the problem for people, or undefined. Background processes stay after success. */
export async function runHook(
  context: WorkContext,
  hook: Hook,
  repository: BundleRepository,
): Promise<string | undefined> {
  const startMs = context.clock.monotonicMs();
  const variables: PlatformVariables = { RUNWRIGHT_BOOT_MODE: context.mode };
  const command = {
    command: ["bash", "-c", runIfThere, `.runwright/${hook}.sh`],
    cwd: checkoutOf(context, repository),
    env: { ...context.environment, ...variables },
    // What a build leaves running would write while the image is saved.
    keepsChildren: context.mode !== "build",
  };
  const tail = new CommandTail(context.secrets);
  const end = await runWithEvents(context, command, { source: hook, repository: repository.name }, (stream, text) =>
    tail.take(stream, text),
  );
  const durationMs = Math.round(context.clock.monotonicMs() - startMs);
  context.log.info("Hook ended", { hook, repository: repository.name, code: end.code ?? undefined, durationMs });
  if (end.code === 0) return undefined;
  return tail.explainAtLength(`${hook}.sh of repository ${repository.name} ${describeEnd(end)}`);
}
