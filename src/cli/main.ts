import { CliError } from "./cli-error.ts";
import { parseCommandLine } from "./command-line.ts";
import { runKeyCommand } from "./key-commands.ts";
import { usage } from "./usage.ts";

/** `kubectl-runwright`, which kubectl runs as `kubectl runwright`. */
async function main(args: readonly string[]): Promise<number> {
  try {
    const command = parseCommandLine(args);
    if (!command) {
      process.stdout.write(usage);
      return 0;
    }
    const { text, json } = await runKeyCommand(command);
    process.stdout.write(`${command.json ? JSON.stringify(json, null, 2) : text}\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof CliError ? error.exitStatus : 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
