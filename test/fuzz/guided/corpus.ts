import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const folder = join(import.meta.dirname, "..", "corpora");

/** Inputs that were kept for a target; none where it has no file yet. Each byte is a character of the file's texts. */
export async function readCorpus(name: string, from = folder): Promise<Buffer[]> {
  const file = join(from, `${name}.json`);
  if (!existsSync(file)) return [];
  return (JSON.parse(await readFile(file, "utf8")) as string[]).map((input) => Buffer.from(input, "latin1"));
}

export async function writeCorpus(name: string, inputs: readonly Buffer[], to = folder): Promise<void> {
  const texts = inputs.map((input) => input.toString("latin1")).sort();
  await writeFile(join(to, `${name}.json`), `${JSON.stringify(texts, undefined, 2)}\n`);
}
