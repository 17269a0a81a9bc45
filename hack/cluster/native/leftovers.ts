import { readdir, readFile, rm } from "node:fs/promises";
import { basename, join } from "node:path";

import { run } from "../../lib/command.ts";
import { isRunning, killProcesses } from "../../lib/processes.ts";
import { readBackground } from "./background.ts";
import { network, type Layout } from "./layout.ts";
import { findRival } from "./network-owner.ts";

/**
 * Ends whatever a cluster in this folder left on the machine, however it ended: programs, containers and their shims,
 * mounts, network namespaces, the bridge, packet filter tables; then removes the folder. Touches nothing of others.
 * Nothing is asked to end politely: all that these programs keep goes with the folder.
 */
export async function clearCluster(layout: Layout): Promise<void> {
  const recorded = [...(await readBackground(layout)).values()].filter((pid) => pid !== undefined);
  await killProcesses(recorded);
  await killRemaining(layout);
  await unmountBelow(layout.state);
  if ((await findRival(layout.state)) === undefined) await removeNetwork();
  await rm(layout.state, { recursive: true, force: true });
}

/** What was started and not recorded before a kill, shims and containers; again, as some may have forked meanwhile. */
async function killRemaining(layout: Layout): Promise<void> {
  const containerIds = await readContainerIds(layout);
  for (let round = 0; round < 5; round += 1) {
    const found = (await readProcesses()).filter((facts) => isOfCluster(facts, layout, containerIds));
    if (found.length === 0) return;
    await killProcesses(found.map(({ pid }) => pid));
  }
}

const programs = [
  "etcd",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kubelet",
  "kube-proxy",
  "containerd",
];

/**
 * Whether a process is of the cluster in that folder: one of its programs (each has a path below the folder among its
 * arguments, but so has a `kubectl` or `tail` of a person), a shim of its containerd, or anything in its containers.
 */
export function isOfCluster(
  { commandLine, cgroup }: Pick<ProcessFacts, "commandLine" | "cgroup">,
  { state, containerdSocket }: Pick<Layout, "state" | "containerdSocket">,
  containerIds: readonly string[],
): boolean {
  const [program = "", ...args] = commandLine.split("\0");
  const name = basename(program);
  if (name.startsWith("containerd-shim")) return args.includes(containerdSocket);
  if (programs.includes(name)) return args.some((argument) => argument.includes(`${state}/`));
  return containerIds.some((id) => cgroup.includes(id));
}

async function readContainerIds({ state }: Layout): Promise<string[]> {
  const tasks = join(state, "containerd", "state", "io.containerd.runtime.v2.task", "k8s.io");
  return readdir(tasks).catch(() => []);
}

interface ProcessFacts {
  pid: number;
  commandLine: string;
  cgroup: string;
}

async function readProcesses(): Promise<ProcessFacts[]> {
  const pids = (await readdir("/proc")).map(Number).filter((pid) => pid > 0 && isRunning(pid));
  const read = (pid: number, file: string): Promise<string> => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "");
  return Promise.all(
    pids.map(async (pid) => ({ pid, commandLine: await read(pid, "cmdline"), cgroup: await read(pid, "cgroup") })),
  );
}

async function unmountBelow(folder: string): Promise<void> {
  // Lazily: what a dying process still holds must not keep the rest.
  for (const path of mountsBelow(await readFile("/proc/self/mounts", "utf8"), folder)) {
    await run("umount", ["--lazy", path]).catch(() => undefined);
  }
}

/** Mount points below a folder, the deepest first. */
export function mountsBelow(mounts: string, folder: string): string[] {
  return mounts
    .split("\n")
    .map((line) => unescape(line.split(" ")[1] ?? ""))
    .filter((path) => path.startsWith(`${folder}/`))
    .reverse();
}

/** The kernel writes space, tab, newline and backslash in paths as octal numbers. */
function unescape(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8)));
}

async function removeNetwork(): Promise<void> {
  const commands: [string, ...string[]][] = [
    ["ip", "link", "delete", network.bridge],
    ["nft", "delete", "table", "ip", network.natTable],
    ["nft", "delete", "table", "ip", "kube-proxy"],
    ["nft", "delete", "table", "ip6", "kube-proxy"],
  ];
  for (const [program, ...args] of commands) {
    // Most of the time there is nothing to remove.
    await run(program, args).catch(() => undefined);
  }
}
