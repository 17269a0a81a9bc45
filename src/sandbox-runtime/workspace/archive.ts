import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createZstdCompress, createZstdDecompress } from "node:zlib";
import { type FirstWord, localSocketName } from "../local/messages.ts";

/**
 * The agent container's end of a workspace on its way: GNU tar below the workspace, compressed, over a connection of its
 * own to the runtime's socket. Names that leave the folder are tar's to refuse, and what it writes it writes as the agent.
 */
export async function archiveWorkspace(
  direction: "save" | "restore",
  where: { workspace: string; socketDirectory: string; transfer: string },
): Promise<void> {
  const socket = connect(join(where.socketDirectory, localSocketName));
  await once(socket, "connect");
  const word: FirstWord = { type: "transfer", transfer: where.transfer };
  socket.write(`${JSON.stringify(word)}\n`);
  await (direction === "save" ? save(where.workspace, socket) : restore(where.workspace, socket));
}

async function save(workspace: string, socket: Socket): Promise<void> {
  // The runtime takes raw bytes once it has read the first word.
  await once(socket, "data");
  // Not the folder itself: it is the pod's, and tar would fail to give it the mode that it has anyway.
  const names = (await readdir(workspace)).map((name) => `./${name}\0`);
  const options = ["--create", "--file=-", `--directory=${workspace}`, "--null", "--files-from=-"];
  const tar = spawn("tar", options, { stdio: ["pipe", "pipe", "inherit"] });
  // A file that changed meanwhile is 1, and no reason to lose all others.
  await Promise.all([pipeline(names, tar.stdin), pipeline(tar.stdout, createZstdCompress(), socket), ended(tar, 1)]);
}

async function restore(workspace: string, socket: Socket): Promise<void> {
  // Without --ignore-zeros tar closes the pipe at the archive's last member, while its padding is still on the way.
  const reading = ["--extract", "--file=-", "--ignore-zeros"];
  const options = [...reading, `--directory=${workspace}`, "--no-overwrite-dir", "--no-same-owner"];
  const tar = spawn("tar", options, { stdio: ["pipe", "inherit", "inherit"] });
  await Promise.all([pipeline(socket, createZstdDecompress(), tar.stdin), ended(tar, 0)]);
}

async function ended(tar: ChildProcess, worst: number): Promise<void> {
  const [code] = (await once(tar, "close")) as [number | null];
  if (code === null || code > worst) throw new Error(`tar exited with status ${String(code)}`);
}
