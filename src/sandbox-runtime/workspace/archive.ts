import { spawn, type ChildProcess, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdCompress, createZstdDecompress } from "node:zlib";
import { homeFolder } from "../../api/runtime/pod-contract.ts";
import { type OpeningMessage, localSocketName } from "../local/messages.ts";

/** The folders that are saved together. */
interface Folders {
  workspace: string;
  home: string;
}

/**
 * Packs or unpacks workspace and home in the agent's container: GNU tar and zstd over a new connection to the runtime's
 * socket. tar refuses names outside the folders and writes as the agent's user.
 */
export async function archiveWorkspace(
  direction: "save" | "restore",
  where: Folders & { socketDirectory: string; transfer: string },
): Promise<void> {
  const socket = connect(join(where.socketDirectory, localSocketName));
  await once(socket, "connect");
  const opening: OpeningMessage = { type: "transfer", transfer: where.transfer };
  socket.write(`${JSON.stringify(opening)}\n`);
  await (direction === "save" ? save(where, socket) : restore(where, socket));
}

async function save({ workspace, home }: Folders, socket: Socket): Promise<void> {
  // The runtime takes raw bytes once it has read the opening message.
  await once(socket, "data");
  const both = async function* (): AsyncGenerator<Uint8Array> {
    yield* pack(workspace);
    // Names of the home have no "./", by which both are told apart; targets of symbolic links stay as they are.
    yield* pack(home, `--transform=s,^\\./,${homeFolder}/,S`);
  };
  await pipeline(both, createZstdCompress(), socket);
}

/** A file that cannot be read is left out and named on standard error. */
async function* pack(folder: string, ...more: string[]): AsyncGenerator<Uint8Array> {
  // Not the folder itself: it belongs to the pod, so tar would fail to set its mode.
  const names = (await readdir(folder)).map((name) => `./${name}\0`);
  const writing = ["--create", "--file=-", "--sparse", "--ignore-failed-read", ...more];
  const options = [...writing, `--directory=${folder}`, "--null", "--files-from=-"];
  const tar = spawn("tar", options, { stdio: ["pipe", "pipe", "inherit"] });
  // Status 1: a file changed meanwhile, which must not lose all others.
  const done = Promise.all([pipeline(names, tar.stdin), ended(tar, 1)]);
  done.catch(() => undefined);
  yield* tar.stdout as AsyncIterable<Uint8Array>;
  await done;
}

/** An archive of an earlier version has no home. */
async function restore({ workspace, home }: Folders, socket: Socket): Promise<void> {
  const atHome = unpack(home, "--exclude=./*", "--strip-components=1");
  const atWork = unpack(workspace, `--exclude=${homeFolder}`);
  const both = async function* (archive: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of archive) {
      if (!atHome.stdin.write(piece)) await once(atHome.stdin, "drain");
      yield piece;
    }
    atHome.stdin.end();
  };
  const sent = pipeline(socket, createZstdDecompress(), both, atWork.stdin);
  await Promise.all([sent, ended(atWork, 0), ended(atHome, 0)]);
}

function unpack(folder: string, ...which: string[]): ChildProcessByStdio<Writable, null, null> {
  // Without --ignore-zeros tar closes the pipe at the archive's last member, before its padding has come.
  const reading = ["--extract", "--file=-", "--ignore-zeros", "--anchored", ...which];
  const options = [...reading, `--directory=${folder}`, "--no-overwrite-dir", "--no-same-owner"];
  return spawn("tar", options, { stdio: ["pipe", "inherit", "inherit"] });
}

async function ended(tar: ChildProcess, worst: number): Promise<void> {
  const [code] = (await once(tar, "close")) as [number | null];
  if (code === null || code > worst) throw new Error(`tar exited with status ${String(code)}`);
}
