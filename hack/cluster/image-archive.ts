import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { copyFile, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { run } from "../lib/command.ts";

/** An image of one layer. */
export interface OneLayerImage {
  /** Full names with tags, for example `runwright.local/pause:1`. */
  names: readonly string[];
  /** Folder whose members the layer holds, with owner root. */
  root: string;
  members: readonly string[];
  /** As in an image's configuration: `Entrypoint`, `Env`, `User`. */
  config: Readonly<Record<string, unknown>>;
}

/** Writes the image as a docker-archive tar, without a container tool. The same files give the same bytes. */
export async function writeImageArchive(image: OneLayerImage, archive: string): Promise<void> {
  await mkdir(dirname(archive), { recursive: true });
  const folder = await mkdtemp(join(tmpdir(), "runwright-image-"));
  try {
    const layer = join(folder, "layer.tar");
    await tar(layer, image.root, image.members);
    await writeFile(join(folder, "config.json"), JSON.stringify(await configOf(image, layer)));
    const manifest = [{ Config: "config.json", RepoTags: image.names, Layers: ["layer.tar"] }];
    await writeFile(join(folder, "manifest.json"), JSON.stringify(manifest));
    await tar(join(folder, "image.tar"), folder, ["manifest.json", "config.json", "layer.tar"]);
    // Copied beside its place first: the temporary folder may be on another file system.
    await copyFile(join(folder, "image.tar"), `${archive}.unfinished`);
    await rename(`${archive}.unfinished`, archive);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function configOf({ config }: OneLayerImage, layer: string): Promise<unknown> {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(layer)) hash.update(piece as Uint8Array);
  return {
    architecture: process.arch === "x64" ? "amd64" : process.arch,
    os: "linux",
    config,
    rootfs: { type: "layers", diff_ids: [`sha256:${hash.digest("hex")}`] },
  };
}

/** Owners, times and order are fixed. */
async function tar(archive: string, folder: string, members: readonly string[]): Promise<void> {
  const fixed = ["--owner=0", "--group=0", "--numeric-owner", "--mtime=@0", "--mode=u+rwX,go+rX", "--sort=name"];
  await run("tar", ["--create", "--file", archive, ...fixed, "--directory", folder, ...members]);
}
