import { randomBytes } from "node:crypto";
import { open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

import { progressOnStderr } from "../../hack/lib/progress.ts";
import { waitUntil } from "../../hack/lib/wait.ts";
import { useCluster } from "../../test/support/cluster.ts";
import { startEquippedControlPlane } from "../../test/support/control-plane.setup.ts";
import { openDirectoryStore } from "../../test/support/directory-store.ts";
import { type SandboxFixture, makeSandbox } from "../../test/support/runtime-world.ts";
import { inherit, type SavedWorkspace, savedWorkspace } from "../../test/support/saved-workspace.ts";
import { openSandboxWorkWorld, type SandboxWorkWorld } from "../../test/support/sandbox-work-world.ts";
import { describeMachine } from "../machine.ts";
import { parseOptions } from "./options.ts";

// npm run bench:workspace -- [--output json] [--mebibytes N] [--home-mebibytes N]
const { mebibytes, homeMebibytes, json } = parseOptions(process.argv.slice(2));
const progress = progressOnStderr("bench");
const limitMs = 1_800_000;
const plane = await startEquippedControlPlane({ progress, policies: true });
try {
  useCluster(plane);
  const work = await openSandboxWorkWorld({ username: "robot", password: "unused" });
  try {
    const machine = await describeMachine();
    const saved = await save(work);
    progress(`saved in ${saved.seconds} s, the runtime's peak was ${saved.runtimePeakMiB} MiB`);
    const restored = await restore(work, saved.archive);
    progress(`restored in ${restored.seconds} s, the runtime's peak was ${restored.runtimePeakMiB} MiB`);
    const { archive, ...figures } = saved;
    const archiveMiB = Math.round(archive.bytes / 2 ** 20);
    const document = { machine, workspaceMiB: mebibytes, homeMiB: homeMebibytes, archiveMiB, saved: figures, restored };
    process.stdout.write(`${JSON.stringify(document, undefined, json ? undefined : 2)}\n`);
  } finally {
    await work.close();
  }
} finally {
  await plane.stop();
}

interface Figures {
  seconds: number;
  /** Largest resident memory of the runtime's process since its start. */
  runtimePeakMiB: number;
}

async function save(work: SandboxWorkWorld): Promise<Figures & { archive: SavedWorkspace }> {
  const sandbox = await makeSandbox(work.world);
  const { runtime, workspace, home } = await work.start(sandbox);
  await noted(sandbox, "ready-time");
  progress(`writing ${mebibytes} and ${homeMebibytes} MiB that cannot be compressed`);
  await fill(join(workspace, "large.bin"), mebibytes);
  await fill(join(home, "large.bin"), homeMebibytes);
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
  const { runtime, workspace, home } = await work.start(sandbox);
  await noted(sandbox, "ready-time");
  const seconds = secondsSince(startMs);
  const sizes = await Promise.all(
    [workspace, home].map(async (folder) => (await stat(join(folder, "large.bin"))).size),
  );
  const isAll = sizes[0] === mebibytes * 2 ** 20 && sizes[1] === homeMebibytes * 2 ** 20;
  if (!isAll) throw new Error(`${sizes.join(" and ")} bytes came back`);
  return { seconds, runtimePeakMiB: await peakOf(runtime.pid) };
}

async function fill(path: string, mebibytes: number): Promise<void> {
  const file = await open(path, "w");
  for (let written = 0; written < mebibytes; written += 1) await file.write(randomBytes(2 ** 20));
  await file.close();
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
