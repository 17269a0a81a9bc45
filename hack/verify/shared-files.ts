import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

/** Which files each file imports, by paths below the checkout's root. */
export type Imports = ReadonlyMap<string, readonly string[]>;

const programs = ["controllers", "ingress", "gateway", "connector", "sandbox-runtime", "cli", "web", "page"] as const;

/** These start the processes of the operator: what they import serves more than one of them. */
const startsProcesses = /^src\/(main\.ts$|config\/)/;

/** Shared folders in which each file has to be shared; `api`, `kube` and `blobs` stand whole. */
const sharedByFile = /^src\/(domain|lib|page-server|telemetry)\//;

const notInAnyProgram = /\.test\.ts$|\.d\.ts$|\/fake-[^/]+\.ts$/;

const root = join(import.meta.dirname, "..", "..");

/** What a person should do about shared files that only one program needs; undefined when there are none. */
export async function judgeSharedFiles(): Promise<string | undefined> {
  const alone = neededByOneProgram(await readImports());
  if (alone.length === 0) return undefined;
  const lines = alone.map(({ file, neededBy }) => `  ${file}: ${neededBy ?? "no program"}`);
  return `Move each file into the folder of the one program that needs it, or delete it:\n${lines.join("\n")}`;
}

/** Shared files that fewer than two programs reach, with the one that does. */
export function neededByOneProgram(imports: Imports): { file: string; neededBy: string | undefined }[] {
  const files = [...imports.keys()].filter((file) => !notInAnyProgram.test(file));
  const reached = programs.map((program) => ({
    program,
    files: reachedFrom(
      files.filter((file) => file.startsWith(`src/${program}/`)),
      imports,
    ),
  }));
  const started = reachedFrom(
    files
      .filter((file) => startsProcesses.test(file))
      .flatMap((file) => (imports.get(file) ?? []).filter(isSharedByFile)),
    imports,
  );
  return files
    .filter((file) => isSharedByFile(file) && !started.has(file))
    .map((file) => ({ file, by: reached.filter((each) => each.files.has(file)).map(({ program }) => program) }))
    .filter(({ by }) => by.length < 2)
    .map(({ file, by }) => ({ file, neededBy: by[0] }));
}

function isSharedByFile(file: string): boolean {
  return sharedByFile.test(file);
}

function reachedFrom(start: readonly string[], imports: Imports): ReadonlySet<string> {
  const seen = new Set<string>();
  const open = [...start];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    open.push(...(imports.get(file) ?? []));
  }
  return seen;
}

async function readImports(): Promise<Imports> {
  const args = ["src", "--config", ".dependency-cruiser.cjs", "--output-type", "json"];
  const { stdout } = await promisify(execFile)("depcruise", args, { cwd: root, maxBuffer: 2 ** 28 }).catch(
    // It ends with the number of violations, which another step tells.
    (error: unknown) => error as { stdout: string },
  );
  const { modules } = JSON.parse(stdout) as { modules: { source: string; dependencies: { resolved: string }[] }[] };
  return new Map(modules.map(({ source, dependencies }) => [source, dependencies.map(({ resolved }) => resolved)]));
}
