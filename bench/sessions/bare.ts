import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { freePorts } from "../../hack/lib/ports.ts";
import { waitUntil } from "../../hack/lib/wait.ts";
import { Fleet, type Member } from "./fleet.ts";
import { type Contest, type Measured, measureServer } from "./measured.ts";
import { readProcess } from "./process-metrics.ts";

const program = join(import.meta.dirname, "bare-server.ts");
const readyLimitMs = 60_000;

/** A server of the same WebSocket library that does nothing. */
export async function measureBare(contest: Contest, members: readonly Member[]): Promise<Measured> {
  const { world, progress } = contest;
  const [port = 0, metricsPort = 0] = await freePorts(2);
  const at = (name: string): string => join(world.directory, name);
  await writeFile(at("bare.crt"), world.tls.cert);
  await writeFile(at("bare.key"), world.tls.key, { mode: 0o600 });
  const start = async (): Promise<ChildProcess> => {
    const args = [program, at("bare.crt"), at("bare.key"), String(port), String(metricsPort)];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
    const isReady = (): Promise<boolean> => readProcess(metricsPort).then(Boolean, () => false);
    await waitUntil(isReady, readyLimitMs, () => Promise.resolve("the bare server listens"));
    return child;
  };
  let child = await start();
  const empty = await readProcess(metricsPort);
  const fleet = new Fleet(members, { port, ca: world.ca });
  fleet.start();
  await fleet.whole();
  progress("all are connected to the bare server");
  const killAndStart = async (): Promise<void> => {
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
    child = await start();
  };
  const measured = await measureServer(contest, fleet, { metricsPort, killAndStart }, empty);
  fleet.stop();
  child.kill("SIGTERM");
  return measured;
}
