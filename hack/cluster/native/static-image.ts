import { createHash } from "node:crypto";
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

import { run } from "../../lib/command.ts";
import { exists } from "../../toolchain/go-build.ts";

/** An image that holds one static program and nothing else. */
export interface StaticImage {
  /** Full name with tag, for example `runwright.local/pause:1`. */
  name: string;
  /** Path of the program, which becomes the entry point under its own name in `/`. */
  program: string;
}

/** Writes the image as a docker-archive tar, without a container tool; a tar that is there already is kept. */
export async function ensureStaticImage({ name, program }: StaticImage, archive: string): Promise<void> {
  if (await exists(archive)) return;
  await mkdir(dirname(archive), { recursive: true });
  const folder = await mkdtemp(join(tmpdir(), "runwright-image-"));
  try {
    await mkdir(join(folder, "root"));
    await copyFile(program, join(folder, "root", basename(program)));
    await tar(folder, "layer.tar", ["-C", "root", basename(program)]);
    const layer = await readFile(join(folder, "layer.tar"));
    const diffId = `sha256:${createHash("sha256").update(layer).digest("hex")}`;
    await writeFile(join(folder, "config.json"), JSON.stringify(imageConfig(`/${basename(program)}`, diffId)));
    const manifest = [{ Config: "config.json", RepoTags: [name], Layers: ["layer.tar"] }];
    await writeFile(join(folder, "manifest.json"), JSON.stringify(manifest));
    await tar(folder, "image.tar", ["manifest.json", "config.json", "layer.tar"]);
    // Copied beside its place first: the temporary folder may be on another file system.
    await copyFile(join(folder, "image.tar"), `${archive}.unfinished`);
    await rename(`${archive}.unfinished`, archive);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function imageConfig(entryPoint: string, diffId: string): unknown {
  return {
    architecture: process.arch === "x64" ? "amd64" : process.arch,
    os: "linux",
    config: { Entrypoint: [entryPoint], User: "65532:65532" },
    rootfs: { type: "layers", diff_ids: [diffId] },
  };
}

/** Owners and times are fixed, so that the same program gives the same image. */
async function tar(folder: string, archive: string, members: readonly string[]): Promise<void> {
  const fixed = ["--owner=0", "--group=0", "--numeric-owner", "--mtime=@0", "--mode=u+rwX,go+rX"];
  await run("tar", ["--create", "--file", archive, ...fixed, ...members], { cwd: folder });
}
