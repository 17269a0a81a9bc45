import { commands } from "../../src/cli/commands.ts";
import { openCluster, type Cluster, type ContextName } from "../../src/cli/cluster/cluster.ts";
import type { CommandIo } from "../../src/cli/command.ts";
import { runCli } from "../../src/cli/run-cli.ts";
import type { PageFile } from "../../src/page-server/page-files.ts";
import { systemClock, type Clock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";

/** What a call of the plugin came to. */
export interface CliResult {
  status: number;
  out: string;
  /** Standard error, lines joined. */
  err: string;
}

/** Calls the plugin in this process as kubectl would; there is no terminal to ask at unless `confirm` is given. */
export async function runPlugin(
  argv: readonly string[],
  {
    confirm,
    clock = systemClock,
    onNote,
    page = () => [],
  }: {
    confirm?: CommandIo["confirm"];
    clock?: Clock;
    onNote?: (line: string) => void;
    page?: () => readonly PageFile[];
  } = {},
): Promise<CliResult> {
  let out = "";
  const lines: string[] = [];
  const note = (line: string): void => {
    lines.push(line);
    onNote?.(line);
  };
  const io: CommandIo = { write: (text) => void (out += text), note, confirm };
  // Requests to the cluster take real time, also where the test moves the plugin's clock.
  const open = (name: ContextName): Cluster => openCluster(systemClock, name);
  const status = await runCli({ commands, io, openCluster: open, clock, random: systemRandom, page }, argv);
  return { status, out, err: lines.join("\n") };
}
