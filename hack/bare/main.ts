import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { progressOnStderr } from "../lib/progress.ts";
import { compileTime } from "./compile-time.ts";
import { makeMachine, runOn, suites, type BareMachine } from "./machine.ts";

const usage = `npm run bare -- MACHINE [COMMAND]
  MACHINE   ${Object.keys(suites).join(" or ")}: nothing but Node 20, npm, git and Go; one with Docker alone is npm run test:docker
  COMMAND   what to run in the checkout; README's two commands without it`;

/** What a cold demo may take beyond the time in which Kubernetes alone is compiled. */
const beyondMs = 150_000;
const progress = progressOnStderr("bare");

async function main(machine: BareMachine, command: string | undefined): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "runwright-bare-"));
  const files = join(folder, machine);
  const lines: string[] = [];
  const hear = (line: string): void => {
    lines.push(line);
    progress(line);
  };
  try {
    await makeMachine(machine, files, progress);
    if (command !== undefined) {
      process.stdout.write(await runOn(files, command, hear));
      return;
    }
    const beganMs = performance.now();
    await runOn(files, "npm run demo -- --output json", hear);
    report(performance.now() - beganMs, compileTime(lines));
    process.stdout.write(await runOn(files, "npm test", hear));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function report(demoMs: number, kubernetesMs: number | undefined): void {
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(0)} s`;
  if (kubernetesMs === undefined) throw new Error("the demo did not compile Kubernetes: was it cold?");
  progress(`the cold demo took ${seconds(demoMs)}, of which Kubernetes compiled for ${seconds(kubernetesMs)}`);
  if (demoMs > kubernetesMs + beyondMs) throw new Error(`that is more than ${seconds(beyondMs)} beyond Kubernetes`);
}

const { positionals } = parseArgs({ allowPositionals: true });
const [named, ...command] = positionals;
const machine = (Object.keys(suites) as BareMachine[]).find((known) => known === named);
if (machine === undefined) {
  console.error(usage);
  process.exit(2);
}
try {
  await main(machine, command.length > 0 ? command.join(" ") : undefined);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
