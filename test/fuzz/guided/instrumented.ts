import { readFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { pathToFileURL } from "node:url";

import { build, type Plugin, transform } from "esbuild";
import { createInstrumenter } from "istanbul-lib-instrument";

import type { Target } from "./target.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const sources = join(root, "src") + sep;
const variable = "runwrightFuzzCoverage";

/** CommonJS dependencies use `require` and `__dirname` when they are loaded. */
const banner = [
  'import { createRequire as makeRequire } from "node:module";',
  "const require = makeRequire(import.meta.url);",
  "const __dirname = import.meta.dirname;",
].join("\n");

/** The counters of one source file, as the instrumented program keeps them. */
interface FileCounters {
  /** Of statements. */
  s: Record<string, number>;
  /** Of the ways at each branch. */
  b: Record<string, number[]>;
  /** Of functions: where none ran, nothing did. */
  f: Record<string, number>;
}

/** Targets whose sources count what they run. */
export interface Instrumented {
  targets: readonly Target[];
  coverage: Coverage;
}

/** Bundles the targets into a folder, with counters in every branch of our own sources, and loads them. */
export async function loadInstrumented(folder: string): Promise<Instrumented> {
  const outfile = join(folder, "targets.mjs");
  await build({
    absWorkingDir: root,
    entryPoints: [join(import.meta.dirname, "targets.ts")],
    outfile,
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    logLevel: "warning",
    external: ["*.node", "cpu-features"],
    banner: { js: banner },
    plugins: [counting],
  });
  const loaded = (await import(pathToFileURL(outfile).href)) as { targets: readonly Target[] };
  const counters = (globalThis as unknown as Record<string, Record<string, FileCounters>>)[variable] ?? {};
  return { targets: loaded.targets, coverage: new Coverage(Object.values(counters)) };
}

const counting: Plugin = {
  name: "counting",
  setup(builder) {
    builder.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      if (!path.startsWith(sources)) return undefined;
      const { code } = await transform(await readFile(path, "utf8"), { loader: "ts", target: "node24" });
      const instrumenter = createInstrumenter({ esModules: true, compact: true, coverageVariable: variable });
      return { contents: instrumenter.instrumentSync(code, path), loader: "js" };
    });
  },
};

/** What one run of a target has reached. */
export class Coverage {
  readonly #files: readonly FileCounters[];

  constructor(files: readonly FileCounters[]) {
    this.#files = files;
  }

  reset(): void {
    for (const { s, b, f } of this.#files.filter(hasRun)) {
      for (const counters of [s, f]) for (const id in counters) counters[id] = 0;
      for (const ways of Object.values(b)) ways.fill(0);
    }
  }

  /** Each statement and branch that ran, with about how often: once, twice, 3, 4 to 7, … */
  reached(): string[] {
    return this.#files.flatMap((counters, file) => {
      if (!hasRun(counters)) return [];
      const { s, b } = counters;
      const statements = Object.entries(s).map(([id, count]) => [`${file} ${id}`, count] as const);
      const branches = Object.entries(b).flatMap(([id, ways]) =>
        ways.map((count, way) => [`${file} ${id}.${way}`, count] as const),
      );
      return [...statements, ...branches]
        .filter(([, count]) => count > 0)
        .map(([place, count]) => `${place} ${about(count)}`);
    });
  }
}

function hasRun({ f }: FileCounters): boolean {
  for (const id in f) if ((f[id] ?? 0) > 0) return true;
  return false;
}

function about(count: number): number {
  return count < 4 ? count : Math.min(8, 2 + Math.floor(Math.log2(count)));
}
