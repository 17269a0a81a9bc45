import { copyFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";

import type { Progress } from "../lib/progress.ts";
import { ensureNpmProgram, type NpmProgram } from "./npm-program.ts";

/** The program for Linux on any 64-bit Intel or AMD processor. */
const program: NpmProgram = {
  name: "opencode-linux-x64-baseline",
  version: "1.18.33",
  integrity: "sha512-1KQGBiiDDeL/VHHbHkOvvFo8Jr97WT5+C1tear+p7IcDTnXgVHXqIjU4O4jM4mHQzykTP2i884FCnW5LDa+zCA==",
  path: "bin/opencode",
};

/** OpenCode's tools for skills and searches run it; where it is missing they download it, which a sandbox cannot. */
const ripgrep: NpmProgram = {
  name: "@vscode/ripgrep-linux-x64",
  version: "1.18.0",
  integrity: "sha512-mQ3bVrUpnD2vs7QT0vX90Lt0cnUq467uFtEktIdsJJmW296RoSULRGqWgzG1AKxyBpNDD6l4ZO4qKf6SgyC23Q==",
  path: "bin/rg",
};

/** Changes with what {@link ensureOpenCode} gives. */
export const openCodeVersion = `${program.version}-${ripgrep.version}`;

/**
 * Gives a folder with the coding agent OpenCode (`opencode`) and ripgrep (`rg`), fetched from npm the first time; throws where
 * they do not run.
 */
export async function ensureOpenCode(progress: Progress): Promise<string> {
  if (process.arch !== "x64") throw new Error(`OpenCode is fetched for x64 only, and this machine is ${process.arch}`);
  const folder = dirname(await ensureNpmProgram(program, progress));
  const copy = join(folder, `.rg-${process.pid}`);
  await copyFile(await ensureNpmProgram(ripgrep, progress), copy);
  await rename(copy, join(folder, "rg"));
  return folder;
}
