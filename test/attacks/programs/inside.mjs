// What an agent can find and change in its own container. Run by the agent; its last line is the report: each attempt with
// "refused", or with what it got.
import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";

const attempt = (work, otherwise) => {
  try {
    return work();
  } catch {
    return otherwise;
  }
};
/** Whether the command succeeds. */
const run = (program, ...rest) =>
  attempt(() => (execFileSync(program, rest, { stdio: "ignore", timeout: 10_000 }), "succeeded"), "refused");
const perl = (script, ...rest) => run("perl", "-e", script, ...rest);
const write = (path) => attempt(() => (writeFileSync(path, "attack"), "succeeded"), "refused");
const found = (list) => (list.length === 0 ? "refused" : list);

const statusOf = (name) => new RegExp(`^${name}:\\s+(\\S+)$`, "m").exec(readFileSync("/proc/self/status", "utf8"))?.[1];
const processes = readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name));
const commandOf = (id) => attempt(() => readFileSync(`/proc/${id}/cmdline`, "utf8").replaceAll("\0", " "), "");
const files = ["/run", "/var/run", "/etc", "/tmp", "/home", "/workspace", "/opt"].flatMap((folder) =>
  attempt(() => readdirSync(folder, { recursive: true }).map((name) => `${folder}/${name}`), []),
);
const readable = [...files, ...processes.flatMap((id) => ["environ", "cmdline"].map((name) => `/proc/${id}/${name}`))]
  .filter((path) => attempt(() => statSync(path).isFile() && statSync(path).size < 1_000_000, false))
  .map((path) => ({ path, text: attempt(() => readFileSync(path, "latin1"), "") }));
const system = ["/", "/etc", "/usr/local/bin", "/opt/runwright", "/home", "/run", "/run/runwright", "/var/tmp"];
const kernel = ["/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/sys/fs/cgroup/cgroup.procs"];

/** Processes of other containers, by every number that one could have. Threads have numbers, too, and belong to known ones. */
function strangers() {
  const known = readdirSync("/proc");
  const isStranger = (id) => {
    try {
      process.kill(id, 0);
    } catch ({ code }) {
      return code !== "ESRCH";
    }
    const group = /^Tgid:\s+(\d+)$/m.exec(attempt(() => readFileSync(`/proc/${id}/status`, "utf8"), ""))?.[1];
    return group !== undefined && !known.includes(group);
  };
  return Array.from({ length: 65_535 }, (_, index) => index + 1).filter(isStranger);
}

/** A terminal of another session of this user, as `kubectl exec -it` makes one. */
async function terminal() {
  const before = new Set(readdirSync("/dev/pts"));
  spawn("script", ["--quiet", "--command", "sleep 20", "/dev/null"], { stdio: "ignore", detached: true }).unref();
  for (let tries = 0; tries < 100; tries += 1) {
    const name = readdirSync("/dev/pts").find((one) => /^[0-9]+$/.test(one) && !before.has(one));
    if (name !== undefined) return `/dev/pts/${name}`;
    await delay(20);
  }
  throw new Error("no terminal came");
}

/** Pushes a character into a terminal's input; tells an open that fails from a push that does. */
function push(path) {
  const noControllingTerminal = 0o400;
  const script = `sysopen(T, $ARGV[0], 2 | ${noControllingTerminal}) or exit 3; ioctl(T, 0x5412, my $c = "x") or exit 4`;
  try {
    execFileSync("perl", ["-e", script, path], { stdio: "ignore" });
    return "succeeded";
  } catch ({ status }) {
    return status === 4 ? "refused" : "no terminal";
  }
}

const privileges = ["NoNewPrivs", "CapEff", "CapBnd", "Seccomp"].map(statusOf).join(" ");
const report = {
  "have a privilege": privileges === "1 0000000000000000 0000000000000000 2" ? "refused" : privileges,
  "have the runtime's user": process.getuid() === 10_002 ? "refused" : process.getuid(),
  "become root by a setuid program": run("su", "--command", "id"),
  "become root in a user namespace": run("unshare", "--user", "--map-root-user", "id"),
  "mount a file system": run("mount", "-t", "tmpfs", "none", "/tmp"),
  "enter the namespaces of another process": run("nsenter", "--target", "1", "--mount", "--net", "id"),
  "give a file to root": run("sh", "-c", "touch /tmp/file && chown 0 /tmp/file"),
  "make a device": run("mknod", "/tmp/device", "b", "7", "0"),
  "open a raw socket": perl("socket(S, 2, 3, 1) or exit 1"),
  "change its root folder": run("chroot", "/tmp", "/bin/true"),
  "read the kernel's log": run("dmesg"),
  "write system files": found(system.filter((place) => write(`${place}/attack`) !== "refused")),
  "write the kernel's settings": found(kernel.filter((place) => write(place) !== "refused")),
  "read a token in files or processes": found(
    // Three parts of base64: what a ServiceAccount token looks like.
    readable.filter(({ text }) => /eyJ[\w-]{20,}\.[\w-]{20,}\.[\w-]{20,}/.test(text)).map(({ path }) => path),
  ),
  "see processes of the runtime": found(processes.map(commandOf).filter((line) => / runtime( |$)/.test(line))),
  "see processes of neighbours": found(strangers()),
  "read the runtime's token by its path": attempt(() => readFileSync("/run/runwright/token/token", "utf8"), "refused"),
  // It has none.
  "push input into its own terminal (TIOCSTI)": push("/dev/tty") === "no terminal" ? "refused" : "a terminal",
  "push input into another terminal (TIOCSTI)": push(await terminal()),
  "change the skills": write("/run/runwright/skills/attack"),
  "put its own socket in the runtime's place": run(
    "mv",
    "/run/runwright/socket/runtime.sock",
    "/run/runwright/socket/real.sock",
  ),
  // What shows that these tools work here.
  "run the tools of these attempts": perl("exit 0"),
};
console.log(JSON.stringify({ type: "result", summary: JSON.stringify(report) }));
