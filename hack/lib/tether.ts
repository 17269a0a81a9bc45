import { spawn, type ChildProcess } from "node:child_process";
import { access } from "node:fs/promises";
import { openSync } from "node:fs";

const setpriv = "/usr/bin/setpriv";

/** A background program that this process owns. */
export interface TetheredProgram {
  readonly pid: number;
  /** Undefined while it runs, else how it ended. */
  ended(): string | undefined;
  /** Asks it to end, kills it after `graceMs`; resolves when it is gone. */
  stop(graceMs?: number): Promise<void>;
}

/**
 * Starts a program that does not outlive this process, however this process ends: on Linux the kernel kills it (the
 * parent-death signal), elsewhere an exit handler does its best. Output goes to `log`.
 */
export async function startTethered(program: string, args: readonly string[], log: string): Promise<TetheredProgram> {
  const bySystem = await access(setpriv).then(
    () => true,
    () => false,
  );
  const command = bySystem ? [setpriv, "--pdeathsig", "KILL", "--", program, ...args] : [program, ...args];
  const output = openSync(log, "a");
  const child = spawn(command[0] ?? program, command.slice(1), { stdio: ["ignore", output, output] });
  await started(child, program);
  return new Tethered(child);
}

class Tethered implements TetheredProgram {
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #kill = (): void => void this.#child.kill("SIGKILL");

  constructor(child: ChildProcess) {
    this.#child = child;
    process.once("exit", this.#kill);
    this.#exited = new Promise((resolve) => {
      child.once("exit", () => {
        process.removeListener("exit", this.#kill);
        resolve();
      });
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  ended(): string | undefined {
    const { exitCode, signalCode } = this.#child;
    if (signalCode !== null) return `signal ${signalCode}`;
    return exitCode === null ? undefined : `status ${exitCode}`;
  }

  async stop(graceMs = 3_000): Promise<void> {
    if (this.ended() !== undefined) return;
    this.#child.kill("SIGTERM");
    const timer = setTimeout(this.#kill, graceMs);
    await this.#exited;
    clearTimeout(timer);
  }
}

function started(child: ChildProcess, program: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (error) => reject(new Error(`could not start ${program}: ${error.message}`, { cause: error })));
  });
}
