import type { Progress } from "../lib/progress.ts";
import { ensureNpmProgram, type NpmProgram } from "./npm-program.ts";

/** The program for Linux on any 64-bit Intel or AMD processor. */
const program: NpmProgram = {
  name: "opencode-linux-x64-baseline",
  version: "1.18.33",
  integrity: "sha512-1KQGBiiDDeL/VHHbHkOvvFo8Jr97WT5+C1tear+p7IcDTnXgVHXqIjU4O4jM4mHQzykTP2i884FCnW5LDa+zCA==",
  path: "bin/opencode",
};

export const openCodeVersion = program.version;

/** Gives the coding agent OpenCode's program, fetched from npm the first time; throws where it does not run. */
export async function ensureOpenCode(progress: Progress): Promise<string> {
  if (process.arch !== "x64") throw new Error(`OpenCode is fetched for x64 only, and this machine is ${process.arch}`);
  return ensureNpmProgram(program, progress);
}
