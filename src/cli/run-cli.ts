import type { Clock } from "../lib/clock.ts";
import { CliError } from "./cli-error.ts";
import { openCluster, type Cluster } from "./cluster/cluster.ts";
import type { Command, CommandIo, Invocation } from "./command.ts";
import { explainFailure } from "./output/explain-failure.ts";
import { misuse, parseCommand, type Request } from "./parse-command.ts";
import { printed } from "./output/printable.ts";
import { usageOf } from "./usage.ts";

export type CliIo = CommandIo;

type RunRequest = Extract<Request, { kind: "run" }>;

/** Carries out what the arguments ask for; returns the exit status: 2 for what cannot be understood, else 0 or 1. */
export async function runCli(
  { commands, io, clock }: { commands: readonly Command[]; io: CliIo; clock: Clock },
  argv: readonly string[],
): Promise<number> {
  try {
    const request = parseCommand(commands, argv);
    if (request.kind === "help") {
      io.write(helpFor(commands, request.words));
      return 0;
    }
    return await runCommand(request, io, clock);
  } catch (error) {
    io.note(`error: ${explainFailure(error)}`);
    return error instanceof CliError ? error.exitStatus : 1;
  }
}

function helpFor(commands: readonly Command[], words: readonly string[]): string {
  const usage = usageOf(commands, words);
  if (usage === undefined) throw misuse(`unknown command "${words.join(" ")}"`);
  return usage;
}

async function runCommand({ command, args, flags, format }: RunRequest, io: CliIo, clock: Clock): Promise<number> {
  let cluster: Cluster | undefined;
  // The parser has read these three as text, as their declaration says.
  const { kubeconfig, context, namespace } = flags as Record<string, string | undefined>;
  const invocation: Invocation = {
    args,
    flags: flags as Invocation["flags"],
    namespace,
    format,
    cluster: () => (cluster ??= openCluster({ kubeconfig, context })),
    io,
    clock,
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
