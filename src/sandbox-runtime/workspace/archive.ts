import { spawn, type ChildProcess, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdCompress, createZstdDecompress } from "node:zlib";
import { whole } from "../../lib/whole-stream.ts";
import { homeFolder } from "../../api/runtime/pod-contract.ts";
import { emptyFolder, mountPoints } from "./empty-folder.ts";
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

/** Nothing of an archive is left that did not come whole, or could not be unpacked. */
async function restore(folders: Folders, socket: Socket): Promise<void> {
  try {
    await unpackBoth(folders, socket);
  } catch (error) {
    socket.destroy();
    await empty(folders.workspace);
    await empty(folders.home);
    throw error;
  }
}

/** An archive of an earlier version has no home. */
async function unpackBoth({ workspace, home }: Folders, socket: Socket): Promise<void> {
  const atHome = unpack(home, "--exclude=./*", "--strip-components=1");
  const atWork = unpack(workspace, `--exclude=${homeFolder}`);
  const homeEnded = ended(atHome, 0);
  const bothEnded = Promise.allSettled([homeEnded, ended(atWork, 0)]);
  const both = async function* (content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of content) {
      if (!atHome.stdin.write(piece)) await Promise.race([once(atHome.stdin, "drain"), homeEnded]);
      yield piece;
    }
    atHome.stdin.end();
  };
  const decompress = createZstdDecompress();
  // What waits for the next piece would not notice that decompress or tar has failed.
  decompress.once("close", () => socket.destroy());
  const sent = pipeline(whole(socket), decompress, both, atWork.stdin);
  sent.catch(() => atHome.stdin.destroy());
  const results = await bothEnded;
  // Where the archive does not come whole tar fails as a consequence, which says less.
  await sent;
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

/** What belongs to a volume, and what is mounted, was there before. */
async function empty(folder: string): Promise<void> {
  const closed = ["-xdev", "-mindepth", "1", "-type", "d", "!", "-perm", "-700", "-exec", "chmod", "u+rwx", "{}", ";"];
  await ended(spawn("find", [folder, ...closed], { stdio: "ignore" }), 1);
  const ofVolume = [homeFolder, "lost+found"].map((name) => join(folder, name));
  await emptyFolder(folder, [...ofVolume, ...(await mountPoints())]);
}

function unpack(folder: string, ...which: string[]): ChildProcessByStdio<Writable, null, null> {
  // Without --ignore-zeros tar closes the pipe at the archive's last member, before its padding has come.
  const reading = ["--extract", "--file=-", "--ignore-zeros", "--anchored", ...which];
  const options = [...reading, `--directory=${folder}`, "--no-overwrite-dir", "--no-same-owner"];
  const tar = spawn("tar", options, { stdio: ["pipe", "inherit", "inherit"] });
  // Its exit status says more.
  tar.stdin.on("error", () => undefined);
  return tar;
}

async function ended(tar: ChildProcess, worst: number): Promise<void> {
  const [code] = (await once(tar, "close")) as [number | null];
  if (code === null || code > worst) throw new Error(`tar exited with status ${String(code)}`);
}
