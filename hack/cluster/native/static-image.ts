import { basename, dirname } from "node:path";

import { exists } from "../../toolchain/go-build.ts";
import { writeImageArchive } from "../image-archive.ts";

/** An image that holds one static program and nothing else. */
export interface StaticImage {
  /** Full name with tag, for example `runwright.local/pause:1`. */
  name: string;
  /** Path of the program, which becomes the entry point under its own name in `/`. */
  program: string;
}

/** Writes the image as a docker-archive tar; a tar that is there already is kept. */
export async function ensureStaticImage({ name, program }: StaticImage, archive: string): Promise<void> {
  if (await exists(archive)) return;
  const [root, file] = [dirname(program), basename(program)];
  const config = { Entrypoint: [`/${file}`], User: "65532:65532" };
  await writeImageArchive({ names: [name], root, members: [file], config }, archive);
}
