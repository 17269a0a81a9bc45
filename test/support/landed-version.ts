import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { run } from "../../hack/lib/command.ts";

const root = join(import.meta.dirname, "..", "..");

/**
 * The commit of the last landed version, whose runtimes and gateways must understand those of this one. Another takes its
 * place with each release.
 */
const landed = "b211dcd7b121ea43b77f3958141775e55f1808a1";

/** Programs of the last landed version, run from its source. */
export interface LandedVersion {
  /** `runwright`. */
  operator: string;
  /** `runwright-sandbox`. */
  sandbox: string;
  remove(): Promise<void>;
}

/** Why the last landed version cannot be had here; undefined when it can. */
export async function whyNotLanded(): Promise<string | undefined> {
  const isThere = await run("git", ["-C", root, "cat-file", "-e", `${landed}^{commit}`]).then(
    () => true,
    () => false,
  );
  return isThere ? undefined : `this checkout has no commit ${landed}: get it with git fetch --unshallow`;
}

/** Puts the source of the last landed version into a folder of its own. It runs with the dependencies of this checkout. */
export async function openLandedVersion(): Promise<LandedVersion> {
  const folder = await mkdtemp(join(tmpdir(), "landed-"));
  const archive = join(folder, "tree.tar");
  await run("git", ["-C", root, "archive", "--format=tar", `--output=${archive}`, landed, "src", "package.json"]);
  await run("tar", ["--extract", `--file=${archive}`, `--directory=${folder}`]);
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  return {
    operator: join(folder, "src", "main.ts"),
    sandbox: join(folder, "src", "sandbox-runtime", "main.ts"),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
