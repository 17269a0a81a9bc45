import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";

const folder = join(import.meta.dirname, "sample-repository");

/** A folder of files as a ConfigMap can hold it: keys have no slashes, so the volume says where each one goes. */
export interface MountedFiles {
  data: Record<string, string>;
  items: { key: string; path: string; mode: number }[];
}

/** The sample repository's files. */
export async function sampleFiles(): Promise<MountedFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const mounted: MountedFiles = { data: {}, items: [] };
  for (const [index, file] of files.sort().entries()) {
    const key = `file-${index}`;
    const isExecutable = ((await stat(file)).mode & 0o100) !== 0;
    mounted.data[key] = await readFile(file, "utf8");
    mounted.items.push({ key, path: relative(folder, file), mode: isExecutable ? 0o755 : 0o644 });
  }
  return mounted;
}
