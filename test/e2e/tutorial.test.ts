import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";

import { beforeAll, expect, it } from "vitest";

import { testCluster } from "../support/cluster.ts";
import { missingLines, tutorialSteps } from "./support/tutorial-steps.ts";

const root = join(import.meta.dirname, "..", "..");
const steps = tutorialSteps(await readFile(join(root, "docs", "start", "tutorial.md"), "utf8"));
const mark = "=== a step of the tutorial is done ===";

/** What each step printed; a step that failed is the last. */
let outputs: string[];

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "tutorial-"));
  try {
    const { kubectl, kubeconfig } = testCluster();
    await symlink(kubectl, join(folder, "kubectl"));
    await symlink(join(root, "dist", "kubectl-runwright.mjs"), join(folder, "kubectl-runwright"));
    const path = [folder, dirname(process.execPath), process.env.PATH].join(delimiter);
    outputs = (await readAlong(folder, { KUBECONFIG: kubeconfig, PATH: path })).split(mark);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

const named = steps.map((step, index) => ({ ...step, index, name: `${step.heading}, block ${index}` }));
it.each(named)("$name", ({ index, printed = "" }) => {
  const output = outputs[index];
  // What follows the last mark is what a failed step said.
  const isDone = index < outputs.length - 1;
  expect({ isDone, output, missing: missingLines(printed, output ?? "") }).toEqual({
    isDone: true,
    output,
    missing: [],
  });
});

/** Types all commands of the page into one shell, as a reader would, until one fails. */
async function readAlong(cwd: string, env: Record<string, string>): Promise<string> {
  const script = ["set -euo pipefail", "exec 2>&1", ...steps.flatMap(({ commands }) => [commands, `echo '${mark}'`])];
  const shell = spawn("bash", ["-c", script.join("\n")], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  const output = text(shell.stdout);
  await once(shell, "exit");
  // What a failed step leaves running holds the pipe open.
  if (shell.pid !== undefined) endGroup(shell.pid);
  return output;
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // Nothing is left.
  }
}
