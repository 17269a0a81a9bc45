import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished, vi } from "vitest";

import { run } from "../../lib/command.ts";
import { onLinux } from "../../lib/on-linux.ts";
import { isRunning, killProcesses } from "../../lib/processes.ts";
import { linkPrograms } from "../../lib/programs-folder.ts";
import { readBackground, startBackground } from "./background.ts";
import { layoutIn } from "./layout.ts";

vi.setConfig({ testTimeout: 180_000 });

it.runIf(onLinux("/proc, which tells what runs"))(
  "npm run cluster -- down takes away what an old cluster left, and does no harm where nothing is",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "old-cluster-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const [programs, cache] = [join(folder, "programs"), join(folder, "cache")];
    for (const path of [programs, cache]) await mkdir(path);
    // Neither ip nor nft, so that the bridge of a cluster that this machine has stays.
    await linkPrograms(programs, ["sh", "umount"]);

    const layout = layoutIn(join(cache, "cluster"));
    await startBackground(layout, "etcd", "/bin/sleep", ["60"]);
    await startBackground(layout, "scheduler", "/bin/true", []);
    await writeFile(join(layout.processes, "kubelet"), '{"pid":');
    const recorded = (await readBackground(layout)).get("etcd") ?? 0;
    const unrecorded = startEtcd(join(layout.state, "etcd"));
    const others = startEtcd(join(cache, "cluster-of-others", "etcd"));
    onTestFinished(() => killProcesses([recorded, unrecorded.pid ?? 0, others.pid ?? 0]));
    await symlink(String(spawnSync("true").pid), join(cache, "cluster.lock"));
    expect([recorded, unrecorded.pid, others.pid].map((pid) => isRunning(pid ?? 0))).toEqual([true, true, true]);

    const down = (): Promise<string> =>
      run(process.execPath, [join(import.meta.dirname, "..", "main.ts"), "down"], {
        env: { PATH: programs, RUNWRIGHT_CACHE: cache },
      });
    await expect(down()).resolves.toBe("");
    expect([recorded, unrecorded.pid, others.pid].map((pid) => isRunning(pid ?? 0))).toEqual([false, false, true]);
    expect(existsSync(layout.state)).toBe(false);
    await expect(down()).resolves.toBe("");
  },
);

/** A process that looks like an etcd with that data. */
function startEtcd(data: string): ChildProcess {
  const program = ["--eval", "setInterval(() => undefined, 1000)", data];
  return spawn(process.execPath, program, { argv0: "etcd", stdio: "ignore" });
}
