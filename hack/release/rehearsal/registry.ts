import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { freePorts } from "../../lib/ports.ts";
import type { Progress } from "../../lib/progress.ts";
import { startTethered } from "../../lib/tether.ts";
import { waitUntil } from "../../lib/wait.ts";
import { ensureDebianProgram } from "../../toolchain/debian-program.ts";

/** A registry on loopback, which clients take over plain HTTP. */
export interface Registry {
  /** `127.0.0.1:PORT`. */
  host: string;
  stop(): Promise<void>;
}

const startLimitMs = 20_000;

/** Starts Debian's docker-registry with its files below `folder`; it ends with this process at the latest. */
export async function startRegistry(folder: string, progress: Progress): Promise<Registry> {
  const program = await ensureDebianProgram(
    { program: "docker-registry", debianPackage: "docker-registry", path: "usr/bin/docker-registry" },
    progress,
  );
  await mkdir(folder);
  const [port = 0] = await freePorts(1);
  const host = `127.0.0.1:${port}`;
  const config = join(folder, "config.json");
  const storage = { filesystem: { rootdirectory: join(folder, "files") } };
  await writeFile(config, JSON.stringify({ version: "0.1", storage, http: { addr: host } }));
  const log = join(folder, "log");
  const running = await startTethered(program, ["serve", config], log);
  const answers = (): Promise<boolean> =>
    fetch(`http://${host}/v2/`).then(
      ({ ok }) => ok,
      () => false,
    );
  await waitUntil(answers, startLimitMs, () => readFile(log, "utf8"));
  return { host, stop: () => running.stop() };
}
