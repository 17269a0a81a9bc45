import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { run } from "../../lib/command.ts";
import { mountingCommand } from "../../lib/mounting.ts";
import { linkPrograms } from "../../lib/programs-folder.ts";
import { onLinux } from "../../lib/on-linux.ts";
import { judgeCgroups, whyNoCgroups } from "./cgroups.ts";

const all = "cpuset cpu io memory hugetlb pids\n";
const root = "/dev/vda / ext4 rw,relatime 0 0\n";
const unified = "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid,relatime 0 0\n";
const first = ["cpu,cpuacct", "cpuset", "memory", "pids"].map(
  (names) => `cgroup /sys/fs/cgroup/${names} cgroup rw,relatime,${names} 0 0\n`,
);
const hybrid = "cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0\n";

describe("judgeCgroups", () => {
  it.each([
    ["the second version", root + unified, all],
    ["the first version", root + first.join(""), ""],
    ["the first with the second beside it", root + first.join("") + hybrid, ""],
    [
      "the first, with one read-only that is not needed",
      root + first.join("").replace("rw,relatime,pids", "ro,pids"),
      "",
    ],
  ])("takes %s", (_name, mounts, controllers) => {
    expect(judgeCgroups(mounts, controllers)).toBeUndefined();
  });

  it.each([
    [
      "there are none",
      root,
      "",
      "none are mounted at /sys/fs/cgroup: mount them with mount -t cgroup2 none /sys/fs/cgroup",
    ],
    ["they are elsewhere", root + unified.replaceAll("/sys/fs/cgroup", "/sys/fs/cgroup2"), all, "none are mounted"],
    ["the second version offers too little", root + unified, "io pids\n", "/sys/fs/cgroup has no cpu, cpuset, memory"],
    ["the first version lacks one", root + first.slice(0, 2).join(""), "", "/sys/fs/cgroup has no memory"],
    ["the second version is read-only", root + unified.replace("rw,", "ro,"), all, "is mounted read-only"],
    ["the first version is read-only", root + first.join("").replaceAll("rw,", "ro,"), "", "is mounted read-only"],
  ])("says so where %s", (_name, mounts, controllers, want) => {
    expect(judgeCgroups(mounts, controllers)).toContain(want);
  });
});

it.runIf(onLinux("cgroups"))("reads this machine's own", async () => {
  const reason = await whyNoCgroups();
  expect([undefined, expect.stringContaining("/sys/fs/cgroup")]).toContainEqual(reason);
});

// Root of a namespace of users may not take away what the machine has mounted.
const mounting = process.getuid?.() === 0 ? await mountingCommand() : undefined;

it.runIf(mounting)("says so where none are mounted, and finds them when they are there again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "cgroups-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const name of ["programs", "kept"]) await mkdir(join(folder, name));
  await linkPrograms(join(folder, "programs"), ["mount", "sh", "umount", "unshare"]);
  const script = `mount --rbind /sys/fs/cgroup "$1"; umount --recursive --lazy /sys/fs/cgroup
    "$0" "$2" up 2>&1; "$0" --input-type=module --eval "$3"
    mount --rbind "$1" /sys/fs/cgroup; "$0" --input-type=module --eval "$3"`;
  const module = JSON.stringify(join(import.meta.dirname, "cgroups.ts"));
  const look = `console.log(String(await (await import(${module})).whyNoCgroups()));`;
  const clusterProgram = join(import.meta.dirname, "..", "main.ts");
  const [command = "", ...args] = mounting ?? [];
  const shell = ["sh", "-c", script, process.execPath, join(folder, "kept"), clusterProgram, look];
  const env = { PATH: join(folder, "programs"), RUNWRIGHT_CACHE: join(folder, "cache") };
  const [byProgram, without, withThem] = (await run(command, [...args, ...shell], { env })).split("\n");
  expect(without).toContain("none are mounted at /sys/fs/cgroup: mount them with");
  expect(byProgram).toBe(`without a Docker engine the local cluster needs cgroups, and ${without}`);
  expect(withThem).toBe(String(await whyNoCgroups()));
});
