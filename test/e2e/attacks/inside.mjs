// What an agent can find and change in its own container. Run by the agent; its last line is the report.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import process from "node:process";

const attempt = (work, otherwise) => {
  try {
    return work();
  } catch {
    return otherwise;
  }
};
const statusOf = (name) => new RegExp(`^${name}:\\s+(\\S+)$`, "m").exec(readFileSync("/proc/self/status", "utf8"))?.[1];

const processes = readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name));
const files = ["/run", "/var/run", "/etc", "/tmp", "/home", "/workspace", "/opt"].flatMap((folder) =>
  attempt(() => readdirSync(folder, { recursive: true }).map((name) => `${folder}/${name}`), []),
);
const readable = [...files, ...processes.flatMap((id) => ["environ", "cmdline"].map((name) => `/proc/${id}/${name}`))]
  .filter((path) => attempt(() => statSync(path).isFile() && statSync(path).size < 1_000_000, false))
  .map((path) => ({ path, text: attempt(() => readFileSync(path, "latin1"), "") }));

const commands = {
  "become root by a setuid program": ["su", "--command", "id"],
  "become root in a user namespace": ["unshare", "--user", "--map-root-user", "id"],
  "mount a file system": ["mount", "-t", "tmpfs", "none", "/tmp"],
  "give a file to root": ["sh", "-c", "touch /tmp/file && chown 0 /tmp/file"],
  "make a device": ["mknod", "/tmp/device", "b", "7", "0"],
};
const places = [
  "/",
  "/etc",
  "/usr/local/bin",
  "/opt/runwright",
  "/home",
  "/run",
  "/run/runwright",
  "/var/tmp",
  "/proc/sys/kernel",
];

console.log(
  JSON.stringify({
    type: "result",
    summary: JSON.stringify({
      privileges: {
        noNewPrivileges: statusOf("NoNewPrivs"),
        effective: statusOf("CapEff"),
        bounding: statusOf("CapBnd"),
        seccomp: statusOf("Seccomp"),
      },
      succeeded: Object.entries(commands)
        .filter(([, [program, ...rest]]) =>
          attempt(() => (execFileSync(program, rest, { stdio: "ignore" }), true), false),
        )
        .map(([name]) => name),
      written: places.filter((place) => attempt(() => (writeFileSync(`${place}/attack`, ""), true), false)),
      // Three parts of base64: what a ServiceAccount token looks like.
      tokens: readable.filter(({ text }) => /eyJ[\w-]{20,}\.[\w-]{20,}\.[\w-]{20,}/.test(text)).map(({ path }) => path),
      runtime: processes
        .map((id) => attempt(() => readFileSync(`/proc/${id}/cmdline`, "utf8").replaceAll("\0", " "), ""))
        .filter((line) => / runtime( |$)/.test(line)),
      uid: process.getuid(),
    }),
  }),
);
