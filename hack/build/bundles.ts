import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { build, type BuildOptions } from "esbuild";

import { nameWhatWasRenamed } from "./function-names.ts";
import { buildPage, withPage } from "./page.ts";
import { scriptBanner } from "./plugin-script.ts";

const root = join(import.meta.dirname, "..", "..");

/** One program: where it starts, and the single file that runs under Node 24 without node_modules. */
interface Bundle {
  entry: string;
  output: string;
  /** What differs from a module for Node 24. */
  options?: Pick<BuildOptions, "format" | "target" | "banner">;
}

const plugin = "src/cli/main.ts";

const bundles: readonly Bundle[] = [
  { entry: "src/main.ts", output: "runwright.mjs" },
  { entry: "src/sandbox-runtime/main.ts", output: "runwright-sandbox.mjs" },
  {
    entry: plugin,
    output: "kubectl-runwright.mjs",
    // An old Node refuses a file whose syntax it does not know, or that imports what it does not have, before any of it
    // runs. In CommonJS nothing is imported before the banner has looked at Node's version.
    options: { format: "cjs", target: "node16", banner: { js: scriptBanner } },
  },
];

/** CommonJS dependencies use `require` and `__dirname` at run time, which a module does not have by itself. */
const banner = [
  "#!/usr/bin/env node",
  'import { createRequire as makeRequire } from "node:module";',
  "const require = makeRequire(import.meta.url);",
  "const __dirname = import.meta.dirname;",
].join("\n");

/** Writes every program into `dist/` (or another folder), executable; throws when one does not build. */
export async function buildBundles(folder = join(root, "dist")): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const page = withPage(await buildPage());
  for (const { entry, output, options } of bundles) {
    const outfile = join(folder, output);
    await bundle(outfile, { entryPoints: [entry], plugins: [page], ...options });
    await chmod(outfile, 0o755);
  }
}

/** Writes the plugin as one CommonJS file, which is what Node puts into an executable. */
export async function bundlePlugin(outfile: string): Promise<void> {
  const plugins = [withPage(await buildPage())];
  await bundle(outfile, { entryPoints: [plugin], plugins, format: "cjs", banner: {} });
}

async function bundle(outfile: string, options: BuildOptions): Promise<void> {
  await build({
    absWorkingDir: root,
    bundle: true,
    // What ssh2 would use if it had been compiled; it does without.
    external: ["*.node", "cpu-features"],
    platform: "node",
    target: "node24",
    format: "esm",
    outfile,
    // Names are read in error reports, and some dependencies decide by the name of a class.
    keepNames: true,
    banner: { js: banner },
    logLevel: "warning",
    ...options,
  });
  await writeFile(outfile, nameWhatWasRenamed(await readFile(outfile, "utf8")));
}
