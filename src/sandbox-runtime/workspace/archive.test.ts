import { once } from "node:events";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import {
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { randomBytes } from "node:crypto";
import { createZstdCompress, zstdCompressSync } from "node:zlib";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { markWhole } from "../../lib/whole-stream.ts";
import { localSocketName } from "../local/messages.ts";
import { type Entry, headerOf, tarOf } from "../../../test/support/tar.ts";
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
}, 60_000);

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

const aFile = (name: string): Entry => ({ type: "0", name, content: "a" });

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

it.each<{ name: string; archive: Buffer; want: string[] }>([
  { name: "of an earlier version, without a home", archive: tarOf([aFile("./a.txt")]), want: ["a.txt"] },
  {
    name: "with an empty workspace",
    archive: Buffer.concat([tarOf([]), tarOf([aFile(".runwright-home/b.txt")])]),
    want: ["b.txt"],
  },
  { name: "of which both are empty", archive: tarOf([]), want: [] },
])("restores an archive $name", async ({ archive, want }) => {
  await restore(Readable.from(markWhole(broken(zstdCompressSync(archive)))));
  expect(await left()).toEqual(want);
});

it.each([
  { which: "workspace's", fails: "*strip-components*) exec cat >/dev/null;; *) exit 2" },
  { which: "home's", fails: "*strip-components*) exit 2;; *) exec cat >/dev/null" },
])("fails when the $which tar fails although more is to come", async ({ fails }) => {
  const bin = join(directory, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "tar"), `#!/bin/sh\ncase "$*" in ${fails};; esac\n`, { mode: 0o755 });
  vi.stubEnv("PATH", `${bin}:${process.env.PATH}`);
  const endless = new Readable({ read: () => undefined });
  endless.push(zstdCompressSync(tarOf([aFile("./a.txt")])));
  await expect(restore(endless)).rejects.toThrow("tar exited with status 2");
});

/** Has a tar in the place of GNU's that reads as much as one pipe holds and fails. */
async function withFailingTar(): Promise<void> {
  const bin = join(directory, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "tar"), "#!/bin/sh\nhead -c 1 >/dev/null\nexec <&-\nexit 2\n", { mode: 0o755 });
  vi.stubEnv("PATH", `${bin}:${process.env.PATH}`);
}

it("says that tar failed, and not that it took nothing more, where it restores more than a pipe holds", async () => {
  await withFailingTar();
  const archive = zstdCompressSync(tarOf([{ ...aFile("./a.txt"), content: "a".repeat(10_000_000) }]));
  await expect(restore(Readable.from(markWhole(broken(archive))))).rejects.toThrow("tar exited with status 2");
});

it("says that tar failed, and not that it took nothing more, where it saves more names than a pipe holds", async () => {
  const { workspace } = foldersOf("from");
  for (let file = 0; file < 1_000; file += 1) writeFileSync(join(workspace, String(file).padStart(250, "0")), "");
  await withFailingTar();
  const { taken } = await runtimeEnd();
  const saving = archiveWorkspace("save", foldersOf("from"));
  await Promise.all([
    taken(undefined).catch(() => undefined),
    expect(saving).rejects.toThrow("tar exited with status 2"),
  ]);
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

/** What tar says when it packs and unpacks without root's rights, as in a sandbox, also where the test has them. */
async function unprivileged(): Promise<{ said: () => Promise<string> }> {
  const bin = join(directory, "bin");
  const output = join(directory, "said.txt");
  await mkdir(bin);
  const isRoot = process.getuid?.() === 0;
  const tar = `${isRoot ? `setpriv --reuid=${nobody} --regid=${nobody} --clear-groups ` : ""}tar "$@" 2>>${output}`;
  await writeFile(join(bin, "tar"), `#!/bin/sh\nPATH="$PATH_OF_TEST" exec ${tar}\n`, { mode: 0o755 });
  vi.stubEnv("PATH_OF_TEST", process.env.PATH);
  vi.stubEnv("PATH", `${bin}:${process.env.PATH}`);
  if (isRoot) {
    await chmod(directory, 0o755);
    await Promise.all(["workspace", "home"].map((folder) => chown(join(directory, "to", folder), nobody, nobody)));
  }
  return { said: () => readFile(output, "utf8") };
}

it("leaves out what cannot be read, names it, and keeps all else", async () => {
  const { workspace } = foldersOf("from");
  await writeFile(join(workspace, "a.txt"), "a");
  await writeFile(join(workspace, "closed.txt"), "b", { mode: 0 });
  await mkdir(join(workspace, "closed"), { mode: 0 });
  await writeFile(join(workspace, "z.txt"), "z");
  const { said } = await unprivileged();
  const archive = await save();
  for (const name of ["closed.txt", "closed"]) expect(await said()).toMatch(new RegExp(`\\./${name}: .*Cannot open`));
  await restore(Readable.from(markWhole(broken(archive))));
  expect((await left()).filter((name) => name.endsWith(".txt")).sort()).toEqual(["a.txt", "z.txt"]);
});

it("restores a whiteout, the only device that can be made in a sandbox", async () => {
  await promisify(execFile)("mknod", [join(foldersOf("from").workspace, "whiteout"), "c", "0", "0"]);
  await unprivileged();
  await restore(Readable.from(markWhole(broken(await save()))));
  expect((await stat(join(foldersOf("to").workspace, "whiteout"))).isCharacterDevice()).toBe(true);
});

it("saves a folder of files whose names are 10 MiB long together", async () => {
  const { workspace } = foldersOf("from");
  const names = Array.from({ length: 42_000 }, (_, index) => String(index).padStart(250, "0"));
  for (const name of names) writeFileSync(join(workspace, name), "");
  await restore(Readable.from(markWhole(broken(await save()))));
  const restored = new Set(await readdir(foldersOf("to").workspace));
  expect(names.filter((name) => !restored.has(name))).toEqual([]);
}, 120_000);

it("saves a hard link out of the tree as a file of its own", async () => {
  const outside = join(directory, "outside.txt");
  await writeFile(outside, "a");
  await link(outside, join(foldersOf("from").workspace, "linked.txt"));
  await restore(Readable.from(markWhole(broken(await save()))));
  const restored = join(foldersOf("to").workspace, "linked.txt");
  expect(await readFile(restored, "utf8")).toBe("a");
  expect((await stat(restored)).ino).not.toBe((await stat(outside)).ino);
});

/** More holes than the first header of a sparse file has room for, and than its second. */
async function sparse(path: string): Promise<void> {
  const file = await open(path, "w");
  for (let at = 0; at < 60; at += 1) await file.write(`block ${at}`, at * 65_536);
  await file.close();
}

it.each(["workspace", "home"] as const)(
  "restores links, FIFOs, long names and sparse files in the %s as they were",
  async (folder) => {
    const from = foldersOf("from")[folder];
    const long = join("d".repeat(200), "f".repeat(200));
    await mkdir(join(from, "d".repeat(200)));
    await writeFile(join(from, long), "long");
    await symlink("/etc/passwd", join(from, "outside"));
    await symlink(`../${"x".repeat(300)}`, join(from, "far"));
    await symlink("/run/runwright/token/token", join(from, "token"));
    await link(join(from, long), join(from, "linked"));
    await promisify(execFile)("mkfifo", [join(from, "fifo")]);
    await sparse(join(from, "sparse"));
    await restore(Readable.from(markWhole(broken(await save()))));
    const to = foldersOf("to")[folder];
    expect(await readFile(join(to, long), "utf8")).toBe("long");
    expect((await stat(join(to, "linked"))).ino).toBe((await stat(join(to, long))).ino);
    expect(await Promise.all(["outside", "far", "token"].map((name) => readlink(join(to, name))))).toEqual([
      ...["/etc/passwd", `../${"x".repeat(300)}`, "/run/runwright/token/token"],
    ]);
    expect((await lstat(join(to, "fifo"))).isFIFO()).toBe(true);
    expect((await readFile(join(to, "sparse"))).equals(await readFile(join(from, "sparse")))).toBe(true);
  },
);

/** The header as often as wanted. */
function* repeated(header: Buffer, count: number): Generator<Uint8Array> {
  const many = 1_000;
  const headers = Buffer.concat(Array.from({ length: many }, () => header));
  for (let sent = 0; sent < count; sent += many) yield headers;
}

it("refuses an archive of 10 million entries, and leaves nothing of it", async () => {
  const header = headerOf({ type: "5", name: ".runwright-home/" }, 0);
  const archive = Readable.from(repeated(header, 10_000_000)).pipe(createZstdCompress());
  await expect(restore(Readable.from(markWhole(archive)))).rejects.toThrow("more than 2000000 entries");
  expect(await left()).toEqual([]);
});

it("refuses a small archive whose files are larger than they may be, before it has written them", async () => {
  const header = headerOf({ type: "0", name: "./bomb" }, 8 * 1_024 ** 3 - 1);
  const archive = zstdCompressSync(Buffer.concat([header, Buffer.alloc(1_048_576)]));
  const { taken } = await runtimeEnd();
  const restoring = archiveWorkspace("restore", foldersOf("to"), { bytes: 1_000_000 });
  await Promise.all([
    taken(Readable.from(markWhole(broken(archive)))),
    expect(restoring).rejects.toThrow("more than 1000000 bytes"),
  ]);
  expect(await left()).toEqual([]);
});

it("refuses what no save writes, and leaves nothing of what came before it", async () => {
  const archive = tarOf([
    { type: "0", name: "./a.txt", content: "a" },
    { type: "0", name: "../../b.txt", content: "b" },
  ]);
  await expect(restore(Readable.from(markWhole(broken(zstdCompressSync(archive)))))).rejects.toThrow(
    "out of its folder",
  );
  expect(await left()).toEqual([]);
});

it("saves no more entries than it would restore", async () => {
  const { workspace } = foldersOf("from");
  await Promise.all(["a", "b", "c"].map((name) => writeFile(join(workspace, name), name)));
  for (const [entries, isRefused] of [
    [3, false],
    [2, true],
  ] as const) {
    const { taken } = await runtimeEnd();
    const [, saving] = await Promise.allSettled([
      taken(undefined),
      archiveWorkspace("save", foldersOf("from"), { entries }),
    ]);
    expect(saving.status).toBe(isRefused ? "rejected" : "fulfilled");
  }
});
