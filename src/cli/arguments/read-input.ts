import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";

import { unreadable } from "./unreadable.ts";

/** Reads a file, or standard input for `-`. @throws CliError */
export async function readInput(file: string): Promise<Buffer> {
  if (file === "-") return buffer(process.stdin);
  try {
    return await readFile(file);
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** Reads a secret as {@link readInput} does; a line break at its end is left out. @throws CliError */
export async function readSecret(file: string): Promise<string> {
  return (await readInput(file)).toString("utf8").replace(/\r?\n$/, "");
}
