import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Blob, Descriptor } from "./attestations.ts";

/** Reads what an OCI layout has under that reference; throws when there is none. */
export async function readReference(layout: string, reference: string): Promise<Descriptor> {
  const found = (await manifestsOf(layout)).find((manifest) => referenceOf(manifest) === reference);
  if (found === undefined) throw new Error(`${layout} has nothing named ${reference}`);
  const { mediaType, digest, size } = found;
  return { mediaType, digest, size };
}

/** Puts blobs into an OCI layout; the last one gets the reference. */
export async function addToLayout(layout: string, blobs: readonly Blob[], reference: string): Promise<void> {
  const folder = join(layout, "blobs", "sha256");
  await mkdir(folder, { recursive: true });
  for (const { content, descriptor } of blobs) {
    await writeFile(join(folder, descriptor.digest.replace("sha256:", "")), content);
  }
  const last = blobs.at(-1)?.descriptor;
  if (last === undefined) return;
  const named = { ...last, annotations: { "org.opencontainers.image.ref.name": reference } };
  const index = { schemaVersion: 2, manifests: [...(await manifestsOf(layout)), named] };
  await writeFile(join(layout, "index.json"), JSON.stringify(index));
}

async function manifestsOf(layout: string): Promise<Descriptor[]> {
  const index = JSON.parse(await readFile(join(layout, "index.json"), "utf8")) as { manifests: Descriptor[] };
  return index.manifests;
}

function referenceOf({ annotations }: Descriptor): string | undefined {
  return annotations?.["org.opencontainers.image.ref.name"];
}
