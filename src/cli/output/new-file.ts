import { type FileHandle, open, rm } from "node:fs/promises";

import type { CliError } from "../cli-error.ts";
import { fileError, fileFailure, type FileReasons } from "../file-failure.ts";

const reasons: FileReasons = {
  EEXIST: ["it exists already, and nothing is overwritten", "Name a file that does not exist"],
  ENOENT: ["its folder does not exist", "Make the folder, or check the path"],
  ENOTDIR: ["something on its path is no folder", "Check the path"],
  EACCES: ["you have no right to write there", "Name a file in a folder of yours"],
  EPERM: ["you have no right to write there", "Name a file in a folder of yours"],
  EROFS: ["its file system is read-only", "Name a file in another folder"],
  ENOSPC: ["its file system is full", "Make room, or name a file in another folder"],
  ENAMETOOLONG: ["its name is longer than the file system takes", "Use a shorter name"],
};

/**
 * Makes a file of this content where nothing is yet, not even a symbolic link; what was written of it is removed when that
 * fails. `what` names the file in errors, such as `--to chart.png`. @throws CliError
 */
export async function writeNewFile(
  path: string,
  { what, content }: { what: string; content: Uint8Array },
): Promise<void> {
  const file = await open(path, "wx").catch((error: unknown) => {
    throw unwritable(what, error);
  });
  try {
    await writeAll(file, content);
  } catch (error) {
    await rm(path, { force: true });
    throw unwritable(what, error);
  }
}

async function writeAll(file: FileHandle, content: Uint8Array): Promise<void> {
  try {
    await file.writeFile(content);
  } finally {
    await file.close();
  }
}

function unwritable(what: string, error: unknown): CliError {
  return fileError(`${what} cannot be written`, fileFailure(reasons, error));
}
