import { createInterface } from "node:readline/promises";

import { systemClock } from "../lib/clock.ts";
import { systemRandom } from "../lib/random.ts";
import { pageFiles } from "../page-server/page-files.ts";
import { openCluster } from "./cluster/cluster.ts";
import { commands } from "./commands.ts";
import { runCli } from "./run-cli.ts";
import type { CommandIo } from "./command.ts";

const isInteractive = process.stdin.isTTY && process.stderr.isTTY;

const io: CommandIo = {
  write: (text) => void process.stdout.write(text),
  note: (line) => void process.stderr.write(`${line}\n`),
  columns: process.stdout.columns,
  confirm: isInteractive ? ask : undefined,
};

async function ask(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}

// Keeps the process alive: the clock's timers and idle connections do not.
const alive = setInterval(() => undefined, 60_000);
/** `kubectl-runwright`, which kubectl runs as `kubectl runwright`. Without `await`, which a CommonJS bundle cannot have here. */
void runCli(
  {
    commands,
    io,
    openCluster: (name) => openCluster(systemClock, name),
    clock: systemClock,
    random: systemRandom,
    page: pageFiles,
  },
  process.argv.slice(2),
).then((status) => {
  process.exitCode = status;
  clearInterval(alive);
});
