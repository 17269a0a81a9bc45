import { readFile } from "node:fs/promises";

const place = "/sys/fs/cgroup";
/** Without these the kubelet ends. */
const needed = ["cpu", "cpuset", "memory"];
const remedy = "in a container, start that with --privileged and --cgroupns=host";

/** Why containers cannot be kept apart by cgroups here, as the end of a sentence; undefined when they can. */
export async function whyNoCgroups(): Promise<string | undefined> {
  const controllers = await readFile(`${place}/cgroup.controllers`, "utf8").catch(() => "");
  return judgeCgroups(await readFile("/proc/self/mounts", "utf8"), controllers);
}

/** The same from /proc/self/mounts, and from the controllers that the second version of cgroups offers here. */
export function judgeCgroups(mounts: string, controllers: string): string | undefined {
  const found = mounts
    .split("\n")
    .map((line) => line.split(" "))
    .filter(([, path = "", type = ""]) => type.startsWith("cgroup") && `${path}/`.startsWith(`${place}/`))
    .map(([, path, type, options = ""]) => ({
      isUnified: type === "cgroup2" && path === place,
      options: options.split(","),
    }));
  const unified = found.find(({ isUnified }) => isUnified);
  const offered = unified ? controllers.trim().split(" ") : found.flatMap(({ options }) => options);
  if (found.length === 0)
    return `none are mounted at ${place}: mount them with mount -t cgroup2 none ${place}, or ${remedy}`;
  const missing = needed.filter((name) => !offered.includes(name));
  if (missing.length > 0) return `${place} has no ${missing.join(", ")}: have the kernel offer it, or ${remedy}`;
  const used = unified ? [unified] : found.filter(({ options }) => needed.some((name) => options.includes(name)));
  if (used.some(({ options }) => options.includes("ro"))) return `${place} is mounted read-only: ${remedy}`;
  return undefined;
}
