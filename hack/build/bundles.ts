import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";

import { build } from "esbuild";

const root = join(import.meta.dirname, "..", "..");

/** One program: where it starts, and the single file that runs under Node 24 without node_modules. */
interface Bundle {
  entry: string;
  output: string;
}

const bundles: readonly Bundle[] = [
  { entry: "src/main.ts", output: "runwright.mjs" },
  { entry: "src/sandbox-runtime/main.ts", output: "runwright-sandbox.mjs" },
  { entry: "src/cli/main.ts", output: "kubectl-runwright.mjs" },
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
  for (const { entry, output } of bundles) {
    const outfile = join(folder, output);
    await build({
      entryPoints: [join(root, entry)],
      outfile,
      absWorkingDir: root,
      bundle: true,
      // What ssh2 would use if it had been compiled; it does without.
      external: ["*.node", "cpu-features"],
      platform: "node",
      target: "node24",
      format: "esm",
      // Names of functions and classes are read in error reports.
      keepNames: true,
      banner: { js: banner },
      logLevel: "warning",
    });
    await chmod(outfile, 0o755);
  }
}
