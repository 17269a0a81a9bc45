import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { run } from "../../hack/lib/command.ts";
import { startTethered, type TetheredProgram } from "../../hack/lib/tether.ts";
import { waitUntil } from "../../hack/lib/wait.ts";

const readyLimitMs = 30_000;

/** Control group of everything that the engine runs, and of nothing else. */
export const cgroup = "runwright-docker-test";

/** Starts a Docker engine of its own, with all its state in a folder, and has this process's `docker` use it. */
export async function startEngine(folder: string): Promise<TetheredProgram> {
  await mkdir(folder, { recursive: true });
  const socket = `unix://${join(folder, "socket")}`;
  const settings = {
    hosts: [socket],
    "data-root": join(folder, "data"),
    "exec-root": join(folder, "exec"),
    pidfile: join(folder, "pid"),
    "cgroup-parent": `/${cgroup}`,
    ...((await lacksSysResource()) ? await runtimeWithout(folder) : {}),
  };
  await writeFile(join(folder, "daemon.json"), JSON.stringify(settings));
  const log = join(folder, "log");
  const engine = await startTethered("dockerd", ["--config-file", join(folder, "daemon.json")], log);
  process.env.DOCKER_HOST = socket;
  const answers = (): Promise<boolean> =>
    run("docker", ["version"]).then(
      () => true,
      () => false,
    );
  await waitUntil(answers, readyLimitMs, async () => `dockerd answers\n${(await readFile(log, "utf8")).slice(-4000)}`);
  return engine;
}

/** Whether this machine withholds CAP_SYS_RESOURCE even from root, as some virtual machines do. */
async function lacksSysResource(): Promise<boolean> {
  const status = await readFile("/proc/self/status", "utf8");
  const bounds = BigInt(`0x${/^CapBnd:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`);
  return (bounds & (1n << 24n)) === 0n;
}

/** runc cannot grant what it does not have, so that capability is taken out of what a privileged container asks for. */
async function runtimeWithout(folder: string): Promise<Record<string, unknown>> {
  const path = join(folder, "runc");
  await writeFile(path, runcWithoutSysResource, { mode: 0o755 });
  return { runtimes: { without: { path } }, "default-runtime": "without" };
}

const runcWithoutSysResource = `#!/bin/bash
args=("$@")
for ((i = 0; i < $#; i++)); do
  case \${args[i]} in
    --bundle | -b) file=\${args[i + 1]}/config.json ;;
    --process | -p) file=\${args[i + 1]} ;;
    *) continue ;;
  esac
  [ -f "$file" ] && sed -i 's/"CAP_SYS_RESOURCE",//g; s/,"CAP_SYS_RESOURCE"//g' "$file"
done
exec runc "$@"
`;
