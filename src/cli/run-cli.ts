import { plainText } from "../api/runtime/text.ts";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import { CliError } from "./cli-error.ts";
import type { Cluster, ContextName } from "./cluster/cluster.ts";
import type { Command, CommandIo, Invocation } from "./command.ts";
import { answerShell, completeWord } from "./completion/answer-shell.ts";
import { explainFailure } from "./output/explain-failure.ts";
import { readCommandLine, type RunRequest } from "./program.ts";
import { printed } from "./output/printable.ts";

/** What the plugin runs with. */
export interface CliContext {
  commands: readonly Command[];
  io: CommandIo;
  openCluster: (name: ContextName) => Cluster;
  clock: Clock;
  random: Random;
  page: Invocation["page"];
}

/** Runs the command that the arguments name; returns the exit status: 2 for a mistake in the arguments, else 0 or 1. */
export async function runCli(context: CliContext, argv: readonly string[]): Promise<number> {
  const { commands, openCluster } = context;
  const io = withPlainNotes(context.io);
  try {
    const [first, ...words] = argv;
    if (first === completeWord) {
      io.write(await answerShell(commands, words, openCluster));
      return 0;
    }
    const request = readCommandLine(commands, argv, io.columns);
    if (request.kind === "run") return await runCommand({ ...context, io }, request);
    io.write(request.text);
    return 0;
  } catch (error) {
    io.note(`error: ${explainFailure(error)}`);
    return error instanceof CliError ? error.exitStatus : 1;
  }
}

async function runCommand(
  { io, openCluster, clock, random, page }: CliContext,
  { command, args, flags, format }: RunRequest,
): Promise<number> {
  let cluster: Cluster | undefined;
  // Text flags by their declaration.
  const { kubeconfig, context, namespace } = flags as Record<string, string | undefined>;
  const invocation: Invocation = {
    args,
    flags: flags as Invocation["flags"],
    namespace,
    format,
    cluster: () => (cluster ??= openCluster({ kubeconfig, context })),
    io,
    clock,
    random,
    page,
  };
  try {
    const result = await command.run(invocation);
    if (!result) return 0;
    io.write(printed(result, format));
    if (result.failure === undefined) return 0;
    io.note(`error: ${result.failure}`);
    return 1;
  } finally {
    await cluster?.close();
  }
}

/** Errors and progress may quote what a stranger wrote. */
function withPlainNotes(io: CommandIo): CommandIo {
  return { ...io, note: (line) => io.note(plainText(line, line.length)) };
}
