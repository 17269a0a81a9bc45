import { mkdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

import { cacheDirectory } from "../lib/cache.ts";
import { run } from "../lib/command.ts";
import { withLock } from "../lib/lock.ts";
import { whileReporting, type Progress } from "../lib/progress.ts";
import { exists } from "./go-build.ts";
import { namingObstacles } from "./obstacles.ts";

/** How schemathesis is started. */
export interface Schemathesis {
  command: string;
  args: readonly string[];
  env: Record<string, string>;
}

const requirements = join(import.meta.dirname, "schemathesis", "requirements.txt");
const interpreters = ["python3", "python3.14", "python3.13", "python3.12", "python3.11"];
const oldestMinor = 11;

/** Why schemathesis cannot be had here; undefined when it can. */
export async function whyNoSchemathesis(): Promise<string | undefined> {
  if ((await findPython()) !== undefined) return undefined;
  return `they need python3 on PATH, 3.${oldestMinor} or newer, with pip`;
}

/** Gives the program, installed from PyPI the first time: it and all that it needs at the versions that are listed. */
export async function ensureSchemathesis(progress: Progress): Promise<Schemathesis> {
  const python = await findPython();
  if (python === undefined) throw new Error(`schemathesis cannot be installed: ${String(await whyNoSchemathesis())}`);
  const [, version = ""] = /^schemathesis==(.+)$/m.exec(await readFile(requirements, "utf8")) ?? [];
  // Some of what it needs is compiled for one Python.
  const folder = join(cacheDirectory(), "schemathesis", `${version}-python3.${python.minor}`);
  if (!(await exists(folder))) {
    await withLock(`${folder}.lock`, progress, async () => {
      if (await exists(folder)) return;
      const what = `installing schemathesis ${version} from PyPI`;
      await whileReporting(progress, what, () => namingObstacles(what, dirname(folder), () => install(python, folder)));
    });
  }
  return { command: python.command, args: ["-m", "schemathesis.cli"], env: { PYTHONPATH: folder } };
}

interface Python {
  command: string;
  minor: number;
}

async function findPython(): Promise<Python | undefined> {
  for (const command of interpreters) {
    const version = await run(command, ["-m", "pip", "--version"]).catch(() => "");
    const minor = Number(/\(python 3\.(\d+)\)/.exec(version)?.[1] ?? 0);
    if (minor >= oldestMinor) return { command, minor };
  }
  return undefined;
}

/** Installed beside its place and renamed, so that a killed install leaves nothing that looks finished. */
async function install({ command }: Python, folder: string): Promise<void> {
  const unfinished = `${folder}.${process.pid}`;
  await mkdir(dirname(folder), { recursive: true });
  try {
    const quietly = ["--quiet", "--disable-pip-version-check", "--no-deps"];
    await run(command, ["-m", "pip", "install", ...quietly, "--target", unfinished, "--requirement", requirements]);
    await rename(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}
