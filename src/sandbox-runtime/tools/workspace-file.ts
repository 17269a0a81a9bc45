import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath } from "node:fs/promises";
import { basename, resolve, sep } from "node:path";
import { errorCode } from "../log.ts";

export interface WorkspaceFile {
  file: FileHandle;
  name: string;
  bytes: number;
}

/** Why a file is not opened; the message is for the agent. */
export class WorkspaceFileError extends Error {
  override readonly name = "WorkspaceFileError";
}

/** Opens a file of the workspace; where links lead is no part of it, unless that lies in the workspace itself. @throws WorkspaceFileError */
export async function openWorkspaceFile(path: string, workspace: string): Promise<WorkspaceFile> {
  const [place, root] = await Promise.all([realpath(resolve(path)), realpath(workspace)]).catch(cannotRead);
  if (!place.startsWith(root + sep)) throw new WorkspaceFileError(`the file lies outside the workspace ${workspace}`);
  // A pipe would wait for a writer.
  const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(cannotRead);
  try {
    const stats = await file.stat();
    // A folder above it may have become a link since.
    const isThere = (await readlink(`/proc/self/fd/${file.fd}`)) === place;
    if (!stats.isFile() || !isThere) throw new WorkspaceFileError("it is no file");
    return { file, name: basename(path), bytes: stats.size };
  } catch (error) {
    await file.close();
    throw error;
  }
}

function cannotRead(error: unknown): never {
  throw new WorkspaceFileError(`the file cannot be read: ${errorCode(error)}`);
}
