import { chmod, cp, mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

import { run } from "../lib/command.ts";
import { whileReporting, type Progress } from "../lib/progress.ts";
import { exists } from "../toolchain/go-build.ts";
import { ensureSystemPrograms } from "../toolchain/system-programs.ts";

const root = join(import.meta.dirname, "..", "..");
/** What README asks for beside Node, npm and Go; the certificates are those that any of them needs to download. */
const packages = ["ca-certificates", "git"];
/** The oldest that README allows, and its npm. */
const node = ["node@20", "npm@10"];

/** How registries are reached from this machine, and whose certificates it trusts; shown to the bare machine and not copied. */
const settings = [
  join(homedir(), ".npmrc"),
  join(homedir(), ".config", "go"),
  "/etc/resolv.conf",
  "/etc/hosts",
  "/etc/ssl/certs",
];
const variables = /^((https?|no)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|GIT_SSL_CAINFO)$/i;

/** The suites of Debian that are tried, by the name that people know. */
export const suites = { "debian-12": "bookworm", "debian-13": "trixie" } as const;
export type BareMachine = keyof typeof suites;

/** Makes the files of a machine with Node 20, npm, git and Go, and this commit's checkout in `/root/runwright`. */
export async function makeMachine(machine: BareMachine, files: string, progress: Progress): Promise<void> {
  await ensureSystemPrograms([{ program: "debootstrap", debianPackage: "debootstrap" }], progress);
  await mkdir(files);
  await chmod(files, 0o755);
  await whileReporting(progress, `unpacking ${machine}`, () =>
    run("debootstrap", ["--variant=minbase", `--include=${packages.join(",")}`, suites[machine], files]),
  );
  await whileReporting(progress, `adding ${node.join(", ")} and Go`, async () => {
    const place = join(files, "opt", "node");
    await mkdir(place);
    await writeFile(join(place, "package.json"), "{}");
    await run("npm", ["install", "--no-audit", "--no-fund", ...node], { cwd: place });
    const go = (await run("go", ["env", "GOROOT"])).trim();
    await cp(go, join(files, "usr", "local", "go"), { recursive: true, verbatimSymlinks: true });
  });
  await run("git", ["clone", "--quiet", root, join(files, "root", "runwright")]);
}

/**
 * Runs a shell command on that machine as root, with mounts and processes of its own and this machine's network; all that it started
 * ends with it. Gives what it printed on standard output.
 */
export async function runOn(files: string, command: string, onErrorLine: (line: string) => void): Promise<string> {
  const shown: string[] = [];
  for (const path of settings) if (await exists(path)) shown.push(path);
  const script = `
set -eu
mount --make-rprivate /
mount --bind "$FILES" "$FILES"
for shared in dev sys; do mount --rbind /$shared "$FILES/$shared"; done
mount -t proc proc "$FILES/proc"
for own in run tmp; do mount -t tmpfs tmpfs "$FILES/$own"; done
for path in $SHOWN; do
  mkdir -p "$FILES$(dirname "$path")"
  if [ -d "$path" ]; then mkdir -p "$FILES$path"; else touch "$FILES$path"; fi
  mount --bind -o ro "$path" "$FILES$path"
done
mkdir -p "$FILES/.this-machine"
cd "$FILES"
pivot_root . .this-machine
umount -l /.this-machine
cd /root/runwright
exec env -i HOME=/root PATH=/opt/node/node_modules/.bin:/usr/local/go/bin:/usr/sbin:/usr/bin:/sbin:/bin $PASSED sh -c "$COMMAND"`;
  const passed = Object.entries(process.env).filter(([name]) => variables.test(name));
  const pairs = passed.map(([name, value]) => `${name}=${value}`).join(" ");
  const env = { FILES: files, SHOWN: shown.join(" "), COMMAND: command, PASSED: pairs };
  const apart = ["--pdeathsig", "KILL", "--", "unshare", "--mount", "--pid", "--fork", "--kill-child"];
  return run("setpriv", [...apart, "sh", "-c", script], { env, onErrorLine });
}
