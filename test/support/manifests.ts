import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { kubectlDocuments } from "../../src/cli/arguments/kubectl-yaml.ts";

/** The part of any Kubernetes object that says what it is. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
}

/** All objects of the YAML files in a folder (not its subfolders), in the order of file names; none without a folder. */
export async function readManifests(folder: string): Promise<Manifest[]> {
  const files = (await readdir(folder).catch(() => [])).filter((name) => /\.ya?ml$/.test(name)).sort();
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), "utf8")));
  return texts.flatMap(parseManifests);
}

/** All objects of one YAML text; throws on one that is not valid YAML. */
export function parseManifests(text: string): Manifest[] {
  return kubectlDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0] ?? new Error("invalid YAML");
    const object: unknown = document.toJS();
    return isManifest(object) ? [object] : [];
  });
}

function isManifest(value: unknown): value is Manifest {
  return typeof value === "object" && value !== null && "apiVersion" in value && "kind" in value && "metadata" in value;
}
