import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdCompress, createZstdDecompress } from "node:zlib";
import { whole } from "../../lib/whole-stream.ts";
import { homeFolder } from "../../api/runtime/pod-contract.ts";
import { type ArchiveBounds, type FolderPiece, guarded, mostEntries } from "./archive-guard.ts";
import { emptyFolder, mountPoints } from "./empty-folder.ts";
import { type OpeningMessage, localSocketName } from "../local/messages.ts";

/** Bytes of the buffers that zstd writes to. */
const pieceBytes = 262_144;
/** Has tar read and write 64 KiB at once instead of 10. */
const blocking = "--blocking-factor=128";
/** Two blocks of zeros: tar fails without any input. */
const emptyArchive = Buffer.alloc(1_024);

/** A tar that unpacks what it reads. */
interface Tar {
  input: Writable;
  /** Rejects when tar fails. */
  ended: Promise<void>;
}

/** The folders that are saved together. */
interface Folders {
  workspace: string;
  home: string;
}

/**
 * Packs or unpacks workspace and home in the agent's container: GNU tar and zstd over a new connection to the runtime's
 * socket. The archive is untrusted, as a process of the agent may have written it: {@link guarded} refuses what no save
 * writes, and tar writes as the agent's user.
 */
export async function archiveWorkspace(
  direction: "save" | "restore",
  where: Folders & { socketDirectory: string; transfer: string },
  { entries = mostEntries, bytes = Infinity }: Partial<ArchiveBounds> = {},
): Promise<void> {
  const socket = connect(join(where.socketDirectory, localSocketName));
  await once(socket, "connect");
  const opening: OpeningMessage = { type: "transfer", transfer: where.transfer };
  socket.write(`${JSON.stringify(opening)}\n`);
  await (direction === "save" ? save(where, socket, { entries, bytes }) : restore(where, socket, { entries, bytes }));
}

/** What could not be restored is not saved. */
async function save({ workspace, home }: Folders, socket: Socket, bounds: ArchiveBounds): Promise<void> {
  // The runtime takes raw bytes once it has read the opening message.
  await once(socket, "data");
  const both = async function* (): AsyncGenerator<Uint8Array> {
    yield* pack(workspace);
    // Names of the home have no "./", so a restore knows them from those of the workspace; targets of symbolic links stay as they are.
    yield* pack(home, `--transform=s,^\\./,${homeFolder}/,S`);
  };
  await pipeline(checked(both(), bounds), createZstdCompress({ chunkSize: pieceBytes }), socket);
}

async function* checked(content: AsyncIterable<Uint8Array>, bounds: ArchiveBounds): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of guarded(content, bounds)) yield bytes;
}

/** A file that cannot be read is left out and named on standard error. */
async function* pack(folder: string, ...more: string[]): AsyncGenerator<Uint8Array> {
  // Not the folder itself: it belongs to the pod, so tar would fail to set its mode.
  const names = (await readdir(folder)).map((name) => `./${name}\0`);
  const writing = ["--create", "--file=-", "--format=gnu", "--sparse", "--ignore-failed-read", ...more];
  const options = [...writing, `--directory=${folder}`, "--null", "--files-from=-"];
  const tar = spawn("tar", options, { stdio: ["pipe", "pipe", "inherit"] });
  // Status 1: a file changed meanwhile, which must not lose all others.
  const named = pipeline(names, tar.stdin);
  named.catch(() => undefined);
  // Its exit status says more than that it took no more names.
  const done = ended(tar, 1).then(() => named);
  done.catch(() => undefined);
  yield* tar.stdout as AsyncIterable<Uint8Array>;
  await done;
}

/** Nothing of an archive is left that did not come whole, or could not be unpacked. */
async function restore(folders: Folders, socket: Socket, bounds: ArchiveBounds): Promise<void> {
  try {
    await unpackBoth(folders, socket, bounds);
  } catch (error) {
    socket.destroy();
    await empty(folders.workspace);
    await empty(folders.home);
    throw error;
  }
}

async function unpackBoth({ workspace, home }: Folders, socket: Socket, bounds: ArchiveBounds): Promise<void> {
  const tars = {
    workspace: unpack(workspace, `--exclude=${homeFolder}`),
    home: unpack(home, "--exclude=./*", "--strip-components=1"),
  };
  const both = Object.values(tars);
  const bothEnded = Promise.allSettled(both.map((tar) => tar.ended));
  const decompress = createZstdDecompress({ chunkSize: pieceBytes });
  // What waits for the next piece would not notice that decompress or tar has failed.
  decompress.once("close", () => socket.destroy());
  for (const tar of both) tar.ended.catch((error: unknown) => decompress.destroy(error as Error));
  const unpacked = (content: AsyncIterable<Uint8Array>): Promise<void> => deliver(guarded(content, bounds), tars);
  const sent = pipeline(whole(socket), decompress, unpacked);
  sent.catch(() => both.forEach((tar) => tar.input.destroy()));
  const results = await bothEnded;
  // Where the archive does not come whole tar fails as a consequence, which says less.
  await sent;
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

/** Writes what is of a folder to the tar that unpacks there. */
async function deliver(pieces: AsyncIterable<FolderPiece>, tars: Record<FolderPiece["folder"], Tar>): Promise<void> {
  let last: FolderPiece["folder"] = "workspace";
  for await (const { folder, bytes } of pieces) {
    const { input, ended } = tars[folder];
    if (folder !== last) tars[last].input.end(emptyArchive);
    last = folder;
    if (!input.write(bytes)) await Promise.race([drained(tars[folder]), ended]);
  }
  tars[last].input.end();
  // An archive of an earlier version has no home.
  if (last === "workspace") tars.home.input.end(emptyArchive);
}

/** Once tar takes more. Where it does not, as it has failed, its exit status says more. */
async function drained({ input, ended }: Tar): Promise<void> {
  try {
    await once(input, "drain");
  } catch (error) {
    await ended;
    throw error;
  }
}

/** What belongs to a volume, and what is mounted, was there before. */
async function empty(folder: string): Promise<void> {
  const closed = ["-xdev", "-mindepth", "1", "-type", "d", "!", "-perm", "-700", "-exec", "chmod", "u+rwx", "{}", ";"];
  await ended(spawn("find", [folder, ...closed], { stdio: "ignore" }), 1);
  const ofVolume = [homeFolder, "lost+found"].map((name) => join(folder, name));
  await emptyFolder(folder, [...ofVolume, ...(await mountPoints())]);
}

function unpack(folder: string, ...which: string[]): Tar {
  // Without --ignore-zeros tar closes the pipe at the archive's last member, before its padding has come.
  const reading = ["--extract", "--file=-", blocking, "--ignore-zeros", "--anchored", ...which];
  const options = [...reading, `--directory=${folder}`, "--no-overwrite-dir", "--no-same-owner"];
  const tar = spawn("tar", options, { stdio: ["pipe", "inherit", "inherit"] });
  // Its exit status says more.
  tar.stdin.on("error", () => undefined);
  return { input: tar.stdin, ended: ended(tar, 0) };
}

async function ended(tar: ChildProcess, worst: number): Promise<void> {
  const [code] = (await once(tar, "close")) as [number | null];
  if (code === null || code > worst) throw new Error(`tar exited with status ${String(code)}`);
}
