import { readdir } from "node:fs/promises";
import { join } from "node:path";

import type { Progress } from "../lib/progress.ts";
import { installPackages } from "./system-programs.ts";

const place = "/usr/lib/postgresql";
const wanted = [{ program: "postgres", debianPackage: "postgresql" }];

/** Gives the folder of Debian's PostgreSQL with `initdb` and `postgres`, installed where it is missing; throws where it cannot be. */
export async function ensurePostgresql(progress: Progress): Promise<string> {
  const found = (await newest()) ?? (await installPackages(wanted, progress).then(newest));
  if (found === undefined) throw new Error(`there is no PostgreSQL in ${place} although its package is installed`);
  return found;
}

async function newest(): Promise<string | undefined> {
  const versions = await readdir(place).catch(() => []);
  const latest = versions.sort((one, other) => Number(other) - Number(one))[0];
  return latest === undefined ? undefined : join(place, latest, "bin");
}
