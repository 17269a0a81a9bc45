import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { TestProject } from "vitest/node";

import { buildBundles } from "../../hack/build/bundles.ts";
import { programEnvironment, programsIn } from "./programs.ts";

/** Bundles our programs once for all test files of a project. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "runwright-programs-"));
  await buildBundles(folder);
  const { operator, sandbox } = programsIn(folder);
  await Promise.all([operator, sandbox].map(compile));
  project.provide("programs", folder);
  return () => rm(folder, { recursive: true, force: true });
}

/** Has Node compile a program: it keeps what it compiled when a program ends by itself, and tests kill them. */
async function compile(program: string): Promise<void> {
  // Without arguments it ends at once with what it must be given.
  await once(spawn(process.execPath, [program], { env: programEnvironment(program), stdio: "ignore" }), "exit");
}
