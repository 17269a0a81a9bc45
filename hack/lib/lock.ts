import { mkdir, readFile, readlink, rename, rm, symlink } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { isRunning, startTimeOf } from "./processes.ts";
import type { Progress } from "./progress.ts";

const retryEveryMs = 250;
const explainAfterMs = 5_000;

/**
 * Runs `work` while holding the lock at `path`, so that two processes never build the same thing at once. Waits as
 * long as the holder lives, and says so; the lock of a process that was killed is taken over. The lock is a symbolic
 * link whose target is its holder: it is made in one step, and on a full disk too.
 */
export async function withLock<T>(path: string, progress: Progress, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  let explainMs = performance.now() + explainAfterMs;
  while (!(await tryLock(path))) {
    if (performance.now() > explainMs) {
      progress(`waiting for process ${(await readHolder(path)) ?? ""}, which holds ${path}`);
      explainMs = Infinity;
    }
    await delay(retryEveryMs);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function tryLock(path: string): Promise<boolean> {
  if (await isMade(path, `${process.pid} ${startTimeOf(process.pid) ?? ""}`)) return true;
  await removeIfAbandoned(path);
  return false;
}

async function isMade(path: string, holder: string): Promise<boolean> {
  try {
    await symlink(holder, path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

async function removeIfAbandoned(path: string): Promise<void> {
  const seen = await readHolder(path);
  // Given back meanwhile, or held.
  if (seen === undefined || !isAbandoned(seen)) return;
  // Moved away and looked at again: another waiter may have taken the lock over in between, and then gets it back.
  const aside = `${path}.${process.pid}`;
  await rename(path, aside).catch(() => undefined);
  const moved = await readHolder(aside);
  if (moved !== undefined && moved !== seen) await isMade(path, moved);
  await rm(aside, { force: true });
}

function isAbandoned(holder: string): boolean {
  const [pid = "", startTime = ""] = holder.split(" ");
  // Of an earlier version, which had no room for its name.
  if (pid === "") return true;
  return !isRunning(Number(pid)) || (startTime !== "" && startTimeOf(Number(pid)) !== startTime);
}

/** Undefined where there is no lock; earlier versions made a file. */
async function readHolder(path: string): Promise<string | undefined> {
  return readlink(path).catch(() => readFile(path, "utf8").catch(() => undefined));
}
