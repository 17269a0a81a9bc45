import { join } from "node:path";

import { CommandError, run } from "../lib/command.ts";
import { progressOnStderr } from "../lib/progress.ts";
import { ensureHelm } from "../toolchain/helm.ts";

const chart = join(import.meta.dirname, "..", "..", "charts", "runwright");

/** Helm's own judgement of the chart, warnings included. */
export async function lintChart(): Promise<string | undefined> {
  const helm = await ensureHelm(progressOnStderr("chart"));
  try {
    await run(helm, ["lint", "--strict", chart]);
    return undefined;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return `Fix the chart:\n${error.message}`;
  }
}
