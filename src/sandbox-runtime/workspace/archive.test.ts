import { once } from "node:events";
import { execFile } from "node:child_process";
import { chmod, chown, link, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { markWhole } from "../../lib/whole-stream.ts";
import { localSocketName } from "../local/messages.ts";
import { archiveWorkspace } from "./archive.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "runwright-archive-"));
  for (const folder of ["from/workspace", "from/home", "to/workspace", "to/home"]) {
    await mkdir(join(directory, folder), { recursive: true });
  }
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await chmod(join(directory, "from/workspace/closed"), 0o755).catch(() => undefined);
  await rm(directory, { recursive: true, force: true });
});

/** The runtime's end of one transfer. */
async function runtimeEnd(): Promise<{ taken: (archive: Readable | undefined) => Promise<Buffer> }> {
  const server = createServer();
  server.listen(join(directory, localSocketName));
  await once(server, "listening");
  const connected = once(server, "connection");
  return {
    async taken(archive) {
      const [socket] = (await connected) as [Socket];
      server.close();
      socket.on("error", () => undefined);
      await once(socket, "readable");
      const opening = String(socket.read());
      expect(JSON.parse(opening)).toEqual({ type: "transfer", transfer: "t1" });
      if (archive) {
        await pipeline(archive, socket).catch(() => undefined);
        return Buffer.alloc(0);
      }
      socket.write("\n");
      return buffer(socket);
    },
  };
}

const foldersOf = (side: "from" | "to"): Parameters<typeof archiveWorkspace>[1] => ({
  workspace: join(directory, side, "workspace"),
  home: join(directory, side, "home"),
  socketDirectory: directory,
  transfer: "t1",
});

async function save(): Promise<Buffer> {
  const { taken } = await runtimeEnd();
  const [archive] = await Promise.all([taken(undefined), archiveWorkspace("save", foldersOf("from"))]);
  return archive;
}

async function restore(archive: Readable): Promise<void> {
  const { taken } = await runtimeEnd();
  await Promise.all([taken(archive), archiveWorkspace("restore", foldersOf("to"))]);
}

const left = async (): Promise<string[]> =>
  (await Promise.all(["workspace", "home"].map((folder) => readdir(join(directory, "to", folder))))).flat();

async function* broken(archive: Buffer): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(archive);
}

const spoiled: Record<string, (archive: Buffer) => Readable> = {
  "that breaks off at its end": (archive) => Readable.from(broken(archive)),
  "that breaks off in the middle": (archive) => Readable.from(broken(archive.subarray(0, archive.length / 2))),
  "that is cut in the middle": (archive) => Readable.from(markWhole(broken(archive.subarray(0, archive.length / 2)))),
  "that is no archive": () => Readable.from(markWhole(broken(Buffer.from("x".repeat(1_000))))),
  "that is no archive, of which more is to come": () => {
    const endless = new Readable({ read: () => undefined });
    endless.push("x".repeat(1_000));
    return endless;
  },
  "that is empty": () => Readable.from(markWhole(broken(Buffer.alloc(0)))),
};

it.each(Object.keys(spoiled))("leaves nothing of an archive %s", async (name) => {
  const { workspace } = foldersOf("from");
  await mkdir(join(workspace, "closed"));
  await writeFile(join(workspace, "closed", "large.bin"), randomBytes(500_000));
  await chmod(join(workspace, "closed"), 0o555);
  const archive = await save();
  await expect(restore(spoiled[name]!(archive))).rejects.toThrow();
  expect(await left()).toEqual([]);
});

it("keeps what was on the volume before", async () => {
  const { workspace } = foldersOf("to");
  await mkdir(join(workspace, ".runwright-home"));
  await mkdir(join(workspace, "lost+found"));
  await writeFile(join(foldersOf("from").workspace, "a.txt"), "a");
  const archive = await save();
  await expect(restore(spoiled["that breaks off at its end"]!(archive))).rejects.toThrow("before all was sent");
  expect(await left()).toEqual([".runwright-home", "lost+found"]);
  await restore(Readable.from(markWhole(broken(archive))));
  expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe("a");
});

const nobody = 65_534;

/** Packs and unpacks without root's rights, as in a sandbox, also where the test has them. */
async function unprivileged(): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const bin = join(directory, "bin");
  await mkdir(bin);
  const script = `#!/bin/sh\nPATH="$PATH_OF_TEST" exec setpriv --reuid=${nobody} --regid=${nobody} --clear-groups tar "$@"\n`;
  await writeFile(join(bin, "tar"), script, { mode: 0o755 });
  await chmod(directory, 0o755);
  await Promise.all(["workspace", "home"].map((folder) => chown(join(directory, "to", folder), nobody, nobody)));
  vi.stubEnv("PATH_OF_TEST", process.env.PATH);
  vi.stubEnv("PATH", `${bin}:${process.env.PATH}`);
}

it("leaves out what cannot be read, and keeps all else", async () => {
  const { workspace } = foldersOf("from");
  await writeFile(join(workspace, "a.txt"), "a");
  await writeFile(join(workspace, "closed.txt"), "b", { mode: 0 });
  await mkdir(join(workspace, "closed"), { mode: 0 });
  await writeFile(join(workspace, "z.txt"), "z");
  await unprivileged();
  const archive = await save();
  await restore(Readable.from(markWhole(broken(archive))));
  expect((await left()).filter((name) => name.endsWith(".txt")).sort()).toEqual(["a.txt", "z.txt"]);
});

it("restores a whiteout, the only device that can be made in a sandbox", async () => {
  await promisify(execFile)("mknod", [join(foldersOf("from").workspace, "whiteout"), "c", "0", "0"]);
  await unprivileged();
  await restore(Readable.from(markWhole(broken(await save()))));
  expect((await stat(join(foldersOf("to").workspace, "whiteout"))).isCharacterDevice()).toBe(true);
});

it("saves a hard link out of the tree as a file of its own", async () => {
  const outside = join(directory, "outside.txt");
  await writeFile(outside, "a");
  await link(outside, join(foldersOf("from").workspace, "linked.txt"));
  await restore(Readable.from(markWhole(broken(await save()))));
  const restored = join(foldersOf("to").workspace, "linked.txt");
  expect(await readFile(restored, "utf8")).toBe("a");
  expect((await stat(restored)).ino).not.toBe((await stat(outside)).ino);
});
