import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** Whether a process of that id exists (also one of another user) and has not ended. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) return false;
  }
  return !isZombie(pid);
}

/**
 * When a running process started, in a form that is only good for comparing: with the id it names one process of this
 * machine for as long as that is up, since ids are used again. Undefined when it does not run, and outside Linux.
 */
export function startTimeOf(pid: number): string | undefined {
  return isZombie(pid) ? undefined : readStatus(pid)?.[19];
}

/** Kills the processes and waits until all are gone, at most 10 s; the first that resists is named in the error. */
export async function killProcesses(pids: readonly number[]): Promise<void> {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // Gone already.
    }
  }
  const deadline = performance.now() + 10_000;
  for (const pid of pids) {
    while (isRunning(pid)) {
      if (performance.now() > deadline) throw new Error(`process ${pid} was killed and does not end`);
      await delay(20);
    }
  }
}

/** A process that has ended keeps its id until its parent asks for it, which a careless parent never does. */
function isZombie(pid: number): boolean {
  return readStatus(pid)?.[0] === "Z";
}

/** Fields of /proc/PID/stat from the third on; the second, the command's name, may hold spaces and parentheses. */
function readStatus(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined; // not running, or not Linux
  }
}
