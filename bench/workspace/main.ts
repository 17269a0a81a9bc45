import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { buildBundles } from "../../hack/build/bundles.ts";
import { progressOnStderr } from "../../hack/lib/progress.ts";
import { waitUntil } from "../../hack/lib/wait.ts";
import { useCluster } from "../../test/support/cluster.ts";
import { startEquippedControlPlane } from "../../test/support/control-plane.setup.ts";
import { openDirectoryStore } from "../../test/support/directory-store.ts";
import { type SandboxFixture, makeSandbox } from "../../test/support/runtime-world.ts";
import { inherit, type SavedWorkspace, savedWorkspace } from "../../test/support/saved-workspace.ts";
import { openSandboxWorkWorld, type SandboxWorkWorld } from "../../test/support/sandbox-work-world.ts";
import type { BlobStore } from "../../src/blobs/blob-store.ts";
import { describeMachine, loadNow } from "../machine.ts";
import { rounded } from "../statistics.ts";
import { parseOptions } from "./options.ts";

// npm run bench:workspace -- [--output json] [--mebibytes N] [--home-mebibytes N] [--files N]
const { mebibytes, homeMebibytes, files, json } = parseOptions(process.argv.slice(2));
const progress = progressOnStderr("bench");
const limitMs = 1_800_000;
const filesOfFolder = 100;
const sizeOfFile = Math.floor((mebibytes * 2 ** 20) / files);
// Nothing in it is removed before the end: for seconds after ext4 has removed files it makes others several times slower.
const folder = await mkdtemp(join(tmpdir(), "bench-workspace-"));
await buildBundles(folder);
const plane = await startEquippedControlPlane({ progress, policies: "of any release" });
try {
  useCluster(plane);
  const work = await openSandboxWorkWorld({ username: "robot", password: "unused" });
  try {
    const machine = await describeMachine();
    const loadBefore = loadNow();
    const saved = await save(work);
    progress(`saved in ${saved.seconds} s, the runtime's peak was ${saved.runtimePeakMiB} MiB`);
    const { archive, ...figures } = saved;
    const blobs = await openDirectoryStore(work.world.blobDirectory);
    // One before and one after, so that what the machine does besides counts for both.
    const localBefore = await unpackLocally(blobs, archive.key, join(folder, "before"));
    const restored = await restore(work, archive);
    progress(`restored in ${restored.seconds} s, the runtime's peak was ${restored.runtimePeakMiB} MiB`);
    const localAfter = await unpackLocally(blobs, archive.key, join(folder, "after"));
    const localMean = (localBefore + localAfter) / 2;
    const sizes = {
      workspaceMiB: mebibytes,
      homeMiB: homeMebibytes,
      files,
      archiveMiB: Math.round(archive.bytes / 2 ** 20),
    };
    const compared = {
      localSeconds: [localBefore, localAfter],
      restoreSpeedToLocal: rounded(localMean / restored.seconds),
    };
    const load = { before: loadBefore, after: loadNow() };
    const document = { machine, load, ...sizes, saved: figures, restored, ...compared };
    process.stdout.write(`${JSON.stringify(document, undefined, json ? undefined : 2)}\n`);
  } finally {
    await work.close();
  }
} finally {
  await plane.stop();
  await rm(folder, { recursive: true });
}

interface Figures {
  seconds: number;
  /** Largest resident memory of the runtime's process since its start. */
  runtimePeakMiB: number;
}

async function save(work: SandboxWorkWorld): Promise<Figures & { archive: SavedWorkspace }> {
  const sandbox = await makeSandbox(work.world);
  const { runtime, workspace, home } = await work.start(sandbox, join(folder, "runwright-sandbox.mjs"));
  await noted(sandbox, "ready-time");
  progress(`writing ${mebibytes} MiB in ${files} files and ${homeMebibytes} MiB that cannot be compressed`);
  for (let file = 0; file < files; file += 1) {
    const folder = join(workspace, String(Math.floor(file / filesOfFolder)));
    await mkdir(folder, { recursive: true });
    await fill(join(folder, `${file}.bin`), sizeOfFile);
  }
  await fill(join(home, "large.bin"), homeMebibytes * 2 ** 20);
  const startMs = performance.now();
  await sandbox.status({ sandbox: { snapshotTime: new Date().toISOString() } });
  await noted(sandbox, "snapshot");
  const seconds = secondsSince(startMs);
  return { seconds, runtimePeakMiB: await peakOf(runtime.pid), archive: await savedWorkspace(sandbox) };
}

/** Gives another session the archive as if it had been of its own. */
async function restore(work: SandboxWorkWorld, archive: SavedWorkspace): Promise<Figures> {
  const sandbox = await makeSandbox(work.world, { attempt: 2, bundle: { restores: 1 } });
  await inherit(await openDirectoryStore(work.world.blobDirectory), sandbox, archive);
  const startMs = performance.now();
  const { runtime, workspace, home } = await work.start(sandbox, join(folder, "runwright-sandbox.mjs"));
  await noted(sandbox, "ready-time");
  const seconds = secondsSince(startMs);
  const sizes = await Promise.all([workspace, home].map(bytesBelow));
  const isAll = sizes[0] === files * sizeOfFile && sizes[1] === homeMebibytes * 2 ** 20;
  if (!isAll) throw new Error(`${sizes.join(" and ")} bytes came back`);
  return { seconds, runtimePeakMiB: await peakOf(runtime.pid) };
}

async function fill(path: string, bytes: number): Promise<void> {
  const file = await open(path, "w");
  for (let left = bytes; left > 0; left -= 2 ** 20) await file.write(randomBytes(Math.min(left, 2 ** 20)));
  await file.close();
}

/** Of the files that this wrote: the sandbox's own programs leave other ones. */
async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const written = entries.filter((entry) => entry.isFile() && entry.name.endsWith(".bin"));
  const sizes = await Promise.all(written.map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Seconds that zstd and tar take for the same bytes, from a file into this new folder. */
async function unpackLocally(blobs: Pick<BlobStore, "get">, key: string, target: string): Promise<number> {
  const blob = await blobs.get(key);
  if (!blob) throw new Error(`there is no ${key}`);
  const archive = `${target}.tar.zst`;
  await writeFile(archive, blob.content);
  await mkdir(target);
  const startMs = performance.now();
  const script = 'set -o pipefail; zstd --decompress --stdout "$0" | tar --extract --ignore-zeros --directory="$1"';
  await promisify(execFile)("bash", ["-c", script, archive, target]);
  return secondsSince(startMs);
}

/** Waits until the gateway has noted this on the attempt's Lease. */
function noted(sandbox: SandboxFixture, annotation: string): Promise<void> {
  return waitUntil(
    async () => (await sandbox.lease())?.metadata.annotations?.[`runwright.dev/${annotation}`] !== undefined,
    limitMs,
    () => Promise.resolve(annotation),
  );
}

async function peakOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid ?? "self"}/status`, "utf8");
  const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kibibytes === undefined) throw new Error("the kernel does not say what memory the process had at most");
  return Math.round(Number(kibibytes) / 1_024);
}

function secondsSince(startMs: number): number {
  return Math.round((performance.now() - startMs) / 100) / 10;
}
