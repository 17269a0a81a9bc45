import { createHash, randomBytes } from "node:crypto";
import { execFile } from "node:child_process";
import { once } from "node:events";
import {
  chmod,
  link,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { zstdCompressSync } from "node:zlib";

import { afterAll, beforeAll, expect, it, vi } from "vitest";

import type { BlobStore } from "../../../src/blobs/blob-store.ts";
import { listSegments, readSegment } from "../../../src/gateway/events/segments.ts";
import { orderMs } from "../../../src/sandbox-runtime/deleted-pod.ts";
import { homeFolder } from "../../../src/api/runtime/pod-contract.ts";
import { archiveKey } from "../../../src/api/v1alpha1/names.ts";
import type { Bundle } from "../../../src/api/runtime/bundle.ts";
import { openDirectoryStore } from "../../support/directory-store.ts";
import { startRelay, startTestGateway } from "../../support/runtime-gateway.ts";
import { startSandbox } from "../../support/runtime-processes.ts";
import { eventually, makeSandbox, type SandboxFixture } from "../../support/runtime-world.ts";
import { inherit, savedWorkspace } from "../../support/saved-workspace.ts";
import {
  openSandboxWorkWorld,
  type SandboxWorkWorld,
  shell,
  type StartedSandbox,
} from "../../support/sandbox-work-world.ts";

// Processes start, and a busy machine takes its time.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const credential = { username: "robot", password: "planted-password" };
let work: SandboxWorkWorld;
beforeAll(async () => {
  work = await openSandboxWorkWorld(credential);
});
afterAll(() => work.close());

const start = (bundle: Partial<Bundle>): Promise<StartedSandbox> => work.launch({ bundle });

const beginSaving = ({ sandbox }: StartedSandbox): Promise<void> =>
  sandbox.status({ sandbox: { snapshotTime: new Date().toISOString() } });

/** A later attempt that begins with what another one left, as if it had been of its own session. */
async function startAfter(earlier: SandboxFixture, bundle: Partial<Bundle>): Promise<StartedSandbox> {
  const sandbox = await makeSandbox(work.world, { attempt: 2, bundle: { ...bundle, restores: 1 } });
  await inherit(await openDirectoryStore(work.world.blobDirectory), sandbox, await savedWorkspace(earlier));
  return { sandbox, processes: await work.start(sandbox) };
}

it("saves the workspace, and the next sandbox begins with it", async () => {
  const files = {
    ".runwright/setup.sh": "echo setup >> ../hooks.txt",
    ".runwright/start.sh": 'echo "start $RUNWRIGHT_BOOT_MODE ${RESTORED_FROM_SNAPSHOT:-no}" >> ../hooks.txt',
  };
  const url = await work.git.addRepository("kept", files);
  const repositories = [{ name: "kept", url, branch: "main", credential, caCertificates: work.world.ca }];
  const first = await start({ repositories });
  await first.sandbox.noted("ready-time");
  const from = first.processes.workspace;
  await writeFile(join(from, "kept", "work.txt"), "unsaved work");
  const large = randomBytes(5_000_000);
  await writeFile(join(from, "large.bin"), large);
  await writeFile(join(from, "tool"), "#!/bin/sh\n", { mode: 0o755 });
  await symlink("/etc/passwd", join(from, "link"));
  await promisify(execFile)("mkfifo", [join(from, "fifo")]);
  await truncate(join(from, "tool"), 2 ** 40);
  // As setup.sh installs an agent.
  await mkdir(join(first.processes.home, ".local", "bin"), { recursive: true });
  await writeFile(join(first.processes.home, ".local", "bin", "agent"), "#!/bin/sh\n", { mode: 0o755 });
  await link(join(first.processes.home, ".local", "bin", "agent"), join(first.processes.home, "agent"));
  await symlink("./agent", join(first.processes.home, "alias"));
  await beginSaving(first);
  const who = ["-c", "user.name=c", "-c", "user.email=c@example.com"];
  const pushed = await work.git.git("kept", ...who, "commit-tree", "-p", "main", "-m", "new", "main^{tree}");
  await work.git.git("kept", "update-ref", "refs/heads/main", pushed.trim());
  const { bytes, key, snapshot } = await savedWorkspace(first.sandbox);
  const archive = await readFile(join(work.world.blobDirectory, key));
  const digest = `sha256:${createHash("sha256").update(archive).digest("hex")}`;
  expect([archive.length, digest]).toEqual([bytes, snapshot.digest]);

  const second = await startAfter(first.sandbox, { repositories });
  await second.sandbox.noted("ready-time");
  expect(JSON.parse(await second.sandbox.noted("restore"))).toEqual({ of: 1 });
  const to = second.processes.workspace;
  expect(await readFile(join(to, "kept", "work.txt"), "utf8")).toBe("unsaved work");
  const { stdout: known } = await promisify(execFile)("git", ["-C", join(to, "kept"), "rev-parse", "origin/main"]);
  expect(known).toBe(pushed);
  expect((await readFile(join(to, "large.bin"))).equals(large)).toBe(true);
  const tool = await stat(join(to, "tool"));
  expect([tool.mode & 0o111, tool.size, tool.blocks < 100]).toEqual([0o111, 2 ** 40, true]);
  expect((await stat(join(to, "fifo"))).isFIFO()).toBe(true);
  const { home } = second.processes;
  const agent = await stat(join(home, ".local", "bin", "agent"));
  expect([agent.mode & 0o111, agent.ino]).toEqual([0o111, (await stat(join(home, "agent"))).ino]);
  expect(await readlink(join(home, "alias"))).toBe("./agent");
  expect(await readdir(to)).not.toContain(homeFolder);
  expect((await readFile(join(to, "hooks.txt"), "utf8")).trim().split("\n")).toEqual([
    "setup",
    "start fresh no",
    "start snapshot_restore true",
  ]);
});

it("saves a ready sandbox whose pod is being deleted, and ends once the gateway ends the attempt", async () => {
  const one = await start({ keepsWorkspace: true });
  await one.sandbox.noted("ready-time");
  await writeFile(join(one.processes.workspace, "work.txt"), "unsaved work");
  one.processes.runtime.kill("SIGTERM");
  one.processes.agent.kill("SIGTERM");
  await beginSaving(one);
  expect((await savedWorkspace(one.sandbox)).bytes).toBeGreaterThan(0);
  await one.sandbox.status({ sandbox: { endTime: new Date().toISOString(), endReason: "SandboxLost" } });
  expect(await one.processes.ended()).toEqual([0, 0]);
});

it("ends at once where nothing is kept and the pod is being deleted", async () => {
  const one = await start({});
  await one.sandbox.noted("ready-time");
  one.processes.runtime.kill("SIGTERM");
  one.processes.agent.kill("SIGTERM");
  const before = performance.now();
  expect(await one.processes.ended()).toEqual([0, 0]);
  expect(performance.now() - before).toBeLessThan(orderMs);
});

it("ends at once where boot goes on while the pod is being deleted", async () => {
  const files = { ".runwright/setup.sh": "touch ../begun; sleep 300" };
  const url = await work.git.addRepository("booting", files);
  const one = await start({
    keepsWorkspace: true,
    repositories: [{ name: "booting", url, branch: "main", credential, caCertificates: work.world.ca }],
  });
  await eventually("begun", () => stat(join(one.processes.workspace, "begun")).catch(() => undefined));
  one.processes.runtime.kill("SIGTERM");
  one.processes.agent.kill("SIGTERM");
  expect(await one.processes.ended()).toEqual([0, 0]);
});

it("ends what the agent is doing before it saves", async () => {
  const one = await start({ agent: shell("echo begun > begun; sleep 300; echo late > late") });
  await one.sandbox.noted("ready-time");
  const { name } = await one.sandbox.prompt("long");
  await eventually("begun", () => readFile(join(one.processes.workspace, "begun")).catch(() => undefined));
  await beginSaving(one);
  await one.sandbox.noted("snapshot");
  await one.sandbox.settle(name, "SandboxLifetimeEnded");
  const { status } = await one.sandbox.readPrompt(name);
  expect(status).toMatchObject({ conditions: [{ reason: "SandboxLifetimeEnded" }] });
});

it("names among the session's events what it cannot save", async () => {
  const one = await start({});
  await one.sandbox.noted("ready-time");
  // As an agent's own servers leave it.
  const server = createServer().listen(join(one.processes.workspace, "agent.sock"));
  await once(server, "listening");
  await beginSaving(one);
  await savedWorkspace(one.sandbox);
  server.close();
  const store = await openDirectoryStore(work.world.blobDirectory);
  const warning = await eventually("the warning is stored", async () => {
    for await (const { key } of listSegments(store, one.sandbox.sessionUid)) {
      const found = (await readSegment(store, key)).find(({ event }) => event.kind === "warning");
      if (found) return found.event;
    }
    return undefined;
  });
  const message = expect.stringMatching(/^not all was saved as it is: .*\.\/agent\.sock: socket ignored/) as unknown;
  expect(warning).toMatchObject({ scope: "save", message });
});

it("breaks a saving off for a prompt, which the agent works on at once, and saves what it did at the next try", async () => {
  const one = await start({ agent: shell("echo worked > done.txt; echo worked") });
  await one.sandbox.noted("ready-time");
  await writeFile(join(one.processes.workspace, "large.bin"), randomBytes(30_000_000));
  await one.sandbox.status({ sandbox: { snapshotTime: new Date().toISOString(), snapshotTry: 1 } });
  await one.sandbox.status({ sandbox: { snapshotTime: null } });
  const { name } = await one.sandbox.prompt("say");
  expect((await one.sandbox.settled(name)).result).toEqual({ summary: "worked" });
  await one.sandbox.status({ sandbox: { snapshotTime: new Date().toISOString(), snapshotTry: 2 } });
  await savedWorkspace(one.sandbox);
  expect(JSON.parse(await one.sandbox.noted("snapshot"))).toMatchObject({ try: 2 });
});

it("stores nothing of an upload that breaks off with its gateway, and another replica then stores all", async () => {
  const { world, connection } = work;
  const blobs = await openDirectoryStore(world.blobDirectory);
  const begun = Promise.withResolvers<boolean>();
  const cut = Promise.withResolvers<boolean>();
  const held: BlobStore = {
    put: (key, content) => blobs.put(key, heldUp(content as AsyncIterable<Uint8Array>, begun, cut.promise)),
    get: (key) => blobs.get(key),
    list: (prefix) => blobs.list(prefix),
    owners: () => blobs.owners(),
    delete: (key) => blobs.delete(key),
    deleteAll: (prefix) => blobs.deleteAll(prefix),
  };
  const dying = await startTestGateway(world, connection.client, { podName: "dying", blobs: held });
  await eventually("the replica is ready", () => dying.notReadyBecause() === undefined);
  const relay = await startRelay(dying.ports.sandbox);
  const sandbox = await makeSandbox(world);
  const processes = await startSandbox(world, sandbox, `wss://localhost:${relay.port}`);
  await sandbox.noted("ready-time");
  await writeFile(join(processes.workspace, "large.bin"), randomBytes(3_000_000));
  await sandbox.status({ sandbox: { snapshotTime: new Date().toISOString() } });
  await begun.promise;
  relay.pointTo(work.gateway.ports.sandbox);
  relay.cut();
  await dying.close();
  cut.resolve(true);
  const { bytes, key } = await savedWorkspace(sandbox);
  const stored = await stat(join(world.blobDirectory, key));
  expect([stored.size, bytes > 3_000_000]).toEqual([bytes, true]);
  const kept = await readdir(join(world.blobDirectory, sandbox.sessionUid), { recursive: true });
  expect(kept.filter((name) => name.endsWith(".zst"))).toHaveLength(1);
  processes.kill();
  await relay.close();
});

/** The content, whose second piece comes only after the cut. */
async function* heldUp(
  content: AsyncIterable<Uint8Array>,
  begun: PromiseWithResolvers<boolean>,
  cut: Promise<boolean>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of content) {
    yield piece;
    begun.resolve(true);
    await cut;
  }
}

it("restores an archive of an earlier version, which has no home", async () => {
  const files = join(work.world.blobDirectory, "..", "earlier");
  await mkdir(files);
  await writeFile(join(files, "work.txt"), "unsaved work");
  const { stdout } = await promisify(execFile)("tar", ["--create", "-C", files, "./work.txt"], { encoding: "buffer" });
  const sandbox = await makeSandbox(work.world, { attempt: 2, bundle: { restores: 1 } });
  const content = zstdCompressSync(stdout);
  const snapshot = { attempt: 1, archive: "earlier", time: new Date().toISOString(), bytes: content.length };
  const blobs = await openDirectoryStore(work.world.blobDirectory);
  await blobs.put(archiveKey(sandbox.sessionUid, snapshot), content);
  await sandbox.status({ snapshot });
  const { workspace } = await work.start(sandbox);
  await sandbox.noted("ready-time");
  expect(await readFile(join(workspace, "work.txt"), "utf8")).toBe("unsaved work");
});

/** What can become of an archive in the store, given its file. */
const faults: Record<string, { problem: string; spoil: (file: string) => Promise<void> }> = {
  lost: { problem: "Missing", spoil: (file) => rm(file) },
  cut: { problem: "Damaged", spoil: async (file) => truncate(file, (await stat(file)).size - 1) },
  changed: { problem: "Damaged", spoil: (file) => flip(file, 0.5) },
  unreadable: { problem: "Damaged", spoil: (file) => flip(file, 0) },
};

async function flip(file: string, where: number): Promise<void> {
  const content = await readFile(file);
  const at = Math.floor(content.length * where);
  content[at] = content[at]! ^ 0xff;
  await writeFile(file, content);
}

it("begins afresh with nothing of an archive that the store has lost or damaged", async () => {
  const first = await start({});
  await first.sandbox.noted("ready-time");
  const from = first.processes.workspace;
  await mkdir(join(from, "closed"));
  // Changed in place it unpacks as well as before.
  await writeFile(join(from, "closed", "large.bin"), randomBytes(500_000));
  await chmod(join(from, "closed"), 0o555);
  await beginSaving(first);
  const saved = await savedWorkspace(first.sandbox);
  const blobs = await openDirectoryStore(work.world.blobDirectory);
  const found = await Promise.all(
    Object.values(faults).map(async ({ spoil }) => {
      const bundle = { restores: 1, agent: shell('echo "${RESTORED_FROM_SNAPSHOT:-no}"; ls -A . "$HOME"') };
      const sandbox = await makeSandbox(work.world, { attempt: 2, bundle });
      await inherit(blobs, sandbox, saved);
      await spoil(join(work.world.blobDirectory, archiveKey(sandbox.sessionUid, saved.snapshot)));
      const { home } = await work.start(sandbox);
      await sandbox.noted("ready-time");
      const { name } = await sandbox.prompt("say");
      const { result } = await sandbox.settled(name);
      return { note: JSON.parse(await sandbox.noted("restore")) as object, result, home };
    }),
  );
  const wanted = Object.values(faults).map(({ problem }, index) => {
    const summary = expect.stringMatching(/^no\n\.:\n\n/) as string;
    return { note: { of: 1, problem }, result: { summary }, home: found[index]!.home };
  });
  expect(found).toEqual(wanted);
});
