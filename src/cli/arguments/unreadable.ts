import type { CliError } from "../cli-error.ts";
import { fileError, type FileFailure, fileFailure, type FileReasons } from "../file-failure.ts";

const reasons: FileReasons = {
  ENOENT: ["it does not exist", "Check the path; it is looked for from the current folder unless it begins with /"],
  ENOTDIR: ["it is no folder, or something on its path is none", "Check the path"],
  EISDIR: ["it is a folder", "Name a file"],
  EACCES: ["you have no right to read it", "Change its rights, or those of the folders on its path"],
  EPERM: ["you have no right to read it", "Change its rights, or those of the folders on its path"],
  ELOOP: ["its symbolic links lead in a circle", "Name the file itself"],
  ENAMETOOLONG: ["its name is longer than the file system takes", "Check the path"],
};

/** The error for a file or folder that the user named, such as `--image logo.png`, and that could not be read. */
export function unreadable(what: string, error: unknown): CliError {
  return fileError(`${what} cannot be read`, readFailure(error));
}

/** Why a file or folder could not be read. */
export function readFailure(error: unknown): FileFailure {
  return fileFailure(reasons, error);
}
