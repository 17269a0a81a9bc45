import { join } from "node:path";

import { cacheDirectory } from "../lib/cache.ts";
import { isOnPath, run } from "../lib/command.ts";
import { withLock } from "../lib/lock.ts";
import { whileReporting, type Progress } from "../lib/progress.ts";
import { namingObstacles } from "./obstacles.ts";

/** A program that has to be there, and Debian's package that brings it. */
export interface SystemProgram {
  program: string;
  debianPackage: string;
}

/** Installs what is missing with apt (as root); throws naming the programs where there is no apt. */
export async function ensureSystemPrograms(programs: readonly SystemProgram[], progress: Progress): Promise<void> {
  const missing: SystemProgram[] = [];
  for (const candidate of programs) {
    if (!(await isOnPath(candidate.program))) missing.push(candidate);
  }
  await installPackages(missing, progress);
}

/** Installs Debian packages as root; throws naming the programs where that cannot be. */
export async function installPackages(missing: readonly SystemProgram[], progress: Progress): Promise<void> {
  if (missing.length === 0) return;
  const programs = missing.map(({ program }) => program).join(", ");
  if (!(await isOnPath("apt-get"))) throw new Error(`not installed, and there is no apt to install it: ${programs}`);
  if (process.getuid?.() !== 0) throw new Error(`not installed, and installing it needs root: ${programs}`);
  const packages = missing.map(({ debianPackage }) => debianPackage);
  const options = { env: { DEBIAN_FRONTEND: "noninteractive" } };
  const aptInstall = (): Promise<string> =>
    run("apt-get", ["install", "--yes", "--no-install-recommends", ...packages], options);
  const what = `installing Debian packages ${packages.join(" ")}`;
  await whileReporting(progress, what, () =>
    // Cluster and images may be made at the same time, and apt locks its database while it works.
    withLock(join(cacheDirectory(), "apt.lock"), progress, () =>
      namingObstacles(what, "/usr and /var", async () => {
        // A list that is there is used first: fetching it anew takes longer than most installs.
        await aptInstall().catch(async () => {
          await run("apt-get", ["update"], options);
          return aptInstall();
        });
      }),
    ),
  );
}
