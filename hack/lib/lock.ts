import { link, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { isRunning, startTimeOf } from "./processes.ts";
import type { Progress } from "./progress.ts";

const retryEveryMs = 250;
const explainAfterMs = 5_000;

/**
 * Runs `work` while holding the lock file at `path`, so that two processes never build the same thing at once. Waits as
 * long as the holder lives, and says so; the lock of a process that was killed is taken over.
 */
export async function withLock<T>(path: string, progress: Progress, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  let explainMs = performance.now() + explainAfterMs;
  while (!(await tryLock(path))) {
    if (performance.now() > explainMs) {
      progress(`waiting for process ${await readHolder(path)}, which holds ${path}`);
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
  try {
    const file = await open(path, "wx");
    await file.writeFile(`${process.pid} ${startTimeOf(process.pid) ?? ""}`);
    await file.close();
    return true;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  await removeIfAbandoned(path);
  return false;
}

async function removeIfAbandoned(path: string): Promise<void> {
  const seen = await readHolder(path);
  if (!isAbandoned(seen)) return;
  // Moved away and looked at again: another waiter may have taken the lock over in between, and then gets it back.
  const aside = `${path}.${process.pid}`;
  await rename(path, aside).catch(() => undefined);
  if ((await readHolder(aside)) !== seen) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

function isAbandoned(holder: string): boolean {
  const [pid = "", startTime = ""] = holder.split(" ");
  // Empty: the holder has created the file and not yet written its name.
  if (pid === "") return false;
  return !isRunning(Number(pid)) || (startTime !== "" && startTimeOf(Number(pid)) !== startTime);
}

async function readHolder(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}
