import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createZstdCompress, createZstdDecompress } from "node:zlib";
import { type OpeningMessage, localSocketName } from "../local/messages.ts";

/**
 * Packs or unpacks the workspace in the agent's container: GNU tar and zstd over a new connection to the runtime's socket.
 * tar refuses names outside the folder and writes as the agent's user.
 */
export async function archiveWorkspace(
  direction: "save" | "restore",
  where: { workspace: string; socketDirectory: string; transfer: string },
): Promise<void> {
  const socket = connect(join(where.socketDirectory, localSocketName));
  await once(socket, "connect");
  const opening: OpeningMessage = { type: "transfer", transfer: where.transfer };
  socket.write(`${JSON.stringify(opening)}\n`);
  await (direction === "save" ? save(where.workspace, socket) : restore(where.workspace, socket));
}

async function save(workspace: string, socket: Socket): Promise<void> {
  // The runtime takes raw bytes once it has read the opening message.
  await once(socket, "data");
  // Not the folder itself: it belongs to the pod, so tar would fail to set its mode.
  const names = (await readdir(workspace)).map((name) => `./${name}\0`);
  const options = ["--create", "--file=-", `--directory=${workspace}`, "--null", "--files-from=-"];
  const tar = spawn("tar", options, { stdio: ["pipe", "pipe", "inherit"] });
  // Status 1: a file changed meanwhile, which must not lose all others.
  await Promise.all([pipeline(names, tar.stdin), pipeline(tar.stdout, createZstdCompress(), socket), ended(tar, 1)]);
}

async function restore(workspace: string, socket: Socket): Promise<void> {
  // Without --ignore-zeros tar closes the pipe at the archive's last member, before its padding has come.
  const reading = ["--extract", "--file=-", "--ignore-zeros"];
  const options = [...reading, `--directory=${workspace}`, "--no-overwrite-dir", "--no-same-owner"];
  const tar = spawn("tar", options, { stdio: ["pipe", "inherit", "inherit"] });
  await Promise.all([pipeline(socket, createZstdDecompress(), tar.stdin), ended(tar, 0)]);
}

async function ended(tar: ChildProcess, worst: number): Promise<void> {
  const [code] = (await once(tar, "close")) as [number | null];
  if (code === null || code > worst) throw new Error(`tar exited with status ${String(code)}`);
}
