import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Texts of generated files by their paths below the repository's root. */
export type GeneratedFiles = ReadonlyMap<string, string>;

/**
 * Paths of files below `root` whose text differs from the generated one, and of those in the folders of generated files
 * that nothing generates any more.
 */
export async function staleFiles(root: string, files: GeneratedFiles, folders: readonly string[]): Promise<string[]> {
  const lists = await Promise.all(folders.map((folder) => filesIn(root, folder)));
  const stale = lists.flat().filter((path) => !files.has(path));
  for (const [path, text] of files) if (await differs(join(root, path), text)) stale.push(path);
  return stale.sort();
}

/** Brings one file up to date: writes it, or removes it when nothing generates it. */
export async function freshenFile(root: string, path: string, files: GeneratedFiles): Promise<void> {
  const text = files.get(path);
  const file = join(root, path);
  if (text === undefined) return rm(file);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

async function filesIn(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => `${folder}/${entry.name}`);
}

async function differs(file: string, text: string): Promise<boolean> {
  return (await readFile(file, "utf8").catch(() => undefined)) !== text;
}
