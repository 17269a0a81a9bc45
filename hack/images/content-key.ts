import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** A short key that changes with any of the words and with the content or name of any of the files. */
export async function contentKey(root: string, words: readonly string[], files: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  const add = (part: string | Buffer): void => {
    // The length keeps neighbours apart: "ab","c" is not "a","bc".
    hash.update(`${Buffer.byteLength(part)}:`).update(part);
  };
  for (const word of words) add(word);
  for (const file of files) {
    add(file);
    add(await readFile(join(root, file)));
  }
  return hash.digest("hex").slice(0, 16);
}
