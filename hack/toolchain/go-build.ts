import { mkdir, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { isOnPath, run, type CommandOptions } from "../lib/command.ts";
import { withLock } from "../lib/lock.ts";
import { whileReporting, type Progress } from "../lib/progress.ts";
import { DownloadError } from "./fetch/connection.ts";
import { installPublication, type Means } from "./fetch/install.ts";
import type { Publication } from "./fetch/publication.ts";
import { namingObstacles } from "./obstacles.ts";

/** One program to keep: its publisher's own where there is one, else built with the machine's Go. */
export interface GoProgram {
  /** What people see, for example `helm 3.22.0`. */
  title: string;
  /** The finished program; also the key of the cache, so it must change with everything that shapes the result. */
  path: string;
  /** Runs Go so that the program ends up at `output`; static, without debug information. */
  build: (output: string, options: CommandOptions) => Promise<unknown>;
  /** The same version as its publisher offers it, with a program of the path's last name; tried before a build. */
  published?: Publication;
}

/**
 * Gives the program's path, downloading or else building it first if need be. Throws one sentence that says what to install where
 * neither can be. Safe to call from many processes at once.
 */
export async function ensureGoProgram(program: GoProgram, progress: Progress, means?: Means): Promise<string> {
  if (await exists(program.path)) return program.path;
  await withLock(`${program.path}.lock`, progress, async () => {
    if (await exists(program.path)) return;
    const refusal = await whyNotDownloaded(program, progress, means);
    if (await exists(program.path)) return;
    await requireGo(program.title, refusal);
    await whileReporting(progress, `building ${program.title} from Go modules (minutes the first time)`, () =>
      build(program, progress),
    );
  });
  return program.path;
}

async function build(program: GoProgram, progress: Progress): Promise<void> {
  // Built under another name and renamed, so that a killed build leaves nothing that looks finished.
  const unfinished = join(dirname(program.path), `.unfinished-${process.pid}`);
  await mkdir(dirname(program.path), { recursive: true });
  let downloads = 0;
  const onErrorLine = (line: string): void => {
    if (!line.startsWith("go: downloading")) return;
    downloads += 1;
    if (downloads % 50 === 0) progress(`${program.title}: ${downloads} modules downloaded`);
  };
  try {
    const place = `${dirname(program.path)}, ${tmpdir()} or Go's caches`;
    await namingObstacles(`building ${program.title}`, place, async () => {
      await program.build(unfinished, { env: { CGO_ENABLED: "0" }, onErrorLine });
      await rename(unfinished, program.path);
    });
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** Downloads the program; gives the publisher's reason where it says no, and nothing where there was nothing to try. */
async function whyNotDownloaded(
  { published, path, title }: GoProgram,
  progress: Progress,
  means?: Means,
): Promise<string | undefined> {
  if (published === undefined) return undefined;
  try {
    await installPublication(published, dirname(path), progress, means);
    return undefined;
  } catch (error) {
    if (!(error instanceof DownloadError)) throw error;
    progress(`${title} was not downloaded: ${error.message}`);
    return error.message;
  }
}

async function requireGo(title: string, refusal: string | undefined): Promise<void> {
  if (await isOnPath("go")) return;
  const cause = refusal === undefined ? "has to be built" : `was not downloaded (${refusal})`;
  throw new Error(`${title} ${cause} and there is no Go: install Go 1.25 or newer and put \`go\` on PATH`);
}

/** Whether something is at that path. */
export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Builds `PACKAGE@VERSION` as `go install` does, from the module's own locked dependencies. */
export async function goInstall(packageAtVersion: string, output: string, options: CommandOptions): Promise<void> {
  const folder = `${output}.d`;
  const env = { ...options.env, GOBIN: folder };
  try {
    await run("go", ["install", "-trimpath", "-ldflags", "-s -w", packageAtVersion], { ...options, env });
    const name = packageAtVersion.replace(/@.*$/, "").split("/").at(-1) ?? "";
    await rename(join(folder, name), output);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
