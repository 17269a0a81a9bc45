import type { Clock } from "../lib/clock.ts";
import { CliError } from "./cli-error.ts";
import { openCluster, type Cluster } from "./cluster/cluster.ts";
import type { Command, CommandIo, Invocation } from "./command.ts";
import { explainFailure } from "./output/explain-failure.ts";
import { readCommandLine, type Request } from "./program.ts";
import { printed } from "./output/printable.ts";

export type CliIo = CommandIo;

type RunRequest = Extract<Request, { kind: "run" }>;

/** Carries out what the arguments ask for; returns the exit status: 2 for what cannot be understood, else 0 or 1. */
export async function runCli(
  { commands, io, clock }: { commands: readonly Command[]; io: CliIo; clock: Clock },
  argv: readonly string[],
): Promise<number> {
  try {
    const request = readCommandLine(commands, argv, io.columns);
    if (request.kind === "run") return await runCommand(request, io, clock);
    io.write(request.text);
    return 0;
  } catch (error) {
    io.note(`error: ${explainFailure(error)}`);
    return error instanceof CliError ? error.exitStatus : 1;
  }
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
