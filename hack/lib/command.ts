import { spawn } from "node:child_process";

/** What a command is run with. */
export interface CommandOptions {
  cwd?: string;
  /** Added to this process's own environment. */
  env?: Record<string, string>;
  /** Written to the command's standard input. */
  input?: string;
  /** Called with each line of standard error as it comes. */
  onErrorLine?: (line: string) => void;
}

/** A command that ended with a status other than 0; the message carries the end of what it printed. */
export class CommandError extends Error {
  readonly status: number | null;

  constructor(command: string, status: number | null, output: string) {
    super(`${command} ended with status ${status ?? "none (killed)"}\n${output.slice(-4000)}`);
    this.name = "CommandError";
    this.status = status;
  }
}

/** Runs a program without a shell and gives its standard output; throws {@link CommandError} on any failure. */
export function run(command: string, args: readonly string[], options: CommandOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    const output: Buffer[] = [];
    let errors = "";
    let partLine = "";
    child.stdout?.on("data", (chunk: Buffer) => output.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => {
      errors += chunk.toString();
      const lines = (partLine + chunk.toString()).split("\n");
      partLine = lines.pop() ?? "";
      for (const line of lines) options.onErrorLine?.(line);
    });
    child.on("error", (error) => reject(new Error(`could not run ${command}: ${error.message}`, { cause: error })));
    child.on("close", (status) => {
      const text = Buffer.concat(output).toString();
      if (status === 0) resolve(text);
      else reject(new CommandError([command, ...args].join(" "), status, text + errors));
    });
    // One that ends without reading its input says by its status how it ended.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(options.input);
  });
}

/** Whether a program of that name can be started from PATH. */
export async function isOnPath(program: string): Promise<boolean> {
  return run("sh", ["-c", 'command -v "$1"', "sh", program]).then(
    () => true,
    () => false,
  );
}
