import { createHash } from "node:crypto";
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { shellScripts } from "../../../src/cli/completion/shell-scripts.ts";
import { buildBundles } from "../../build/bundles.ts";
import { run } from "../../lib/command.ts";
import { whileReporting, type Progress } from "../../lib/progress.ts";
import { buildExecutable, platforms, prepareBlob, type Platform } from "./executable.ts";
import { archiveName, krewManifest } from "./krew-manifest.ts";

const root = join(import.meta.dirname, "..", "..", "..");

/**
 * Writes what a release has of the plugin into a folder that is empty or not there: an archive for each platform, krew's
 * manifest, the script for any Node 24, and `SHA256SUMS` with the digests of all of them. `repository` is the https:// address of
 * the repository whose releases have the files.
 */
export async function writeReleaseFiles(folder: string, repository: string, progress: Progress): Promise<void> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) throw new Error(`${folder} has files already: name an empty folder`);
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
  const digests = await packAll(folder, progress);
  const downloads = `${repository}/releases/download/v${version}`;
  const manifest = krewManifest({ version, homepage: repository, downloads, digests });
  await writeFile(join(folder, "runwright.yaml"), manifest);
  await addScript(join(folder, "kubectl-runwright.mjs"));
  await writeFile(join(folder, "SHA256SUMS"), await checksums(folder));
}

/** Packs all platforms beside each other, and gives the digests of their archives. */
async function packAll(folder: string, progress: Progress): Promise<Record<Platform, string>> {
  const temporary = await mkdtemp(join(tmpdir(), "release-"));
  try {
    const blob = await prepareBlob(temporary, progress);
    const packing = (Object.keys(platforms) as Platform[]).map(async (platform) => {
      const archive = join(folder, archiveName(platform));
      await pack(platform, blob, archive, progress);
      return [platform, await digestOf(archive)] as const;
    });
    const digests = await whileReporting(progress, "kubectl-runwright for each platform", () => Promise.all(packing));
    return Object.fromEntries(digests) as Record<Platform, string>;
  } finally {
    await rm(temporary, { recursive: true });
  }
}

/** Packs the executable with what kubectl's completion runs, and the license. */
async function pack(platform: Platform, blob: string, archive: string, progress: Progress): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "release-"));
  const completion = join(folder, "kubectl_complete-runwright");
  try {
    await buildExecutable(platform, blob, join(folder, "kubectl-runwright"), progress);
    await writeFile(completion, shellScripts.kubectl);
    await chmod(completion, 0o755);
    await copyFile(join(root, "LICENSE"), join(folder, "LICENSE"));
    const files = (await readdir(folder)).sort();
    // Nothing of the machine that packs.
    await run("tar", [
      "--owner=0",
      "--group=0",
      "--numeric-owner",
      "--mtime=@0",
      "-czf",
      archive,
      "-C",
      folder,
      ...files,
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function addScript(output: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "release-"));
  try {
    await buildBundles(folder);
    await copyFile(join(folder, "kubectl-runwright.mjs"), output);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** As sha256sum writes and reads it. */
async function checksums(folder: string): Promise<string> {
  let lines = "";
  for (const name of (await readdir(folder)).sort()) lines += `${await digestOf(join(folder, name))}  ${name}\n`;
  return lines;
}

async function digestOf(file: string): Promise<string> {
  return createHash("sha256")
    .update(await readFile(file))
    .digest("hex");
}
