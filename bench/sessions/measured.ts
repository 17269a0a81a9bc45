import type { Progress } from "../../hack/lib/progress.ts";
import type { ApiClient } from "../../test/support/api-client.ts";
import type { World } from "../../test/support/runtime-world.ts";
import { rounded } from "../statistics.ts";
import type { Lateness } from "./beats.ts";
import type { Fleet } from "./fleet.ts";
import { type ProcessFigures, readProcess } from "./process-metrics.ts";
import type { SessionsOptions } from "./options.ts";

/** With what is measured. */
export interface Contest extends SessionsOptions {
  world: World;
  api: ApiClient;
  /** With admin's rights. */
  kubeconfig: string;
  /** The bundled `runwright`. */
  program: string;
  progress: Progress;
}

/** What holds of the gateway as of the bare server. */
export interface Measured {
  /** Of the process with all connected and after their heartbeats, less what it had before, for each. */
  residentKiBEach: number;
  heapKiBEach: number;
  /** CPU of the process for each heartbeat. */
  cpuMsEachBeat: number;
  /** With heartbeats evenly spread. */
  lateness: Lateness;
  storm: Storm;
  /** With heartbeats as close together as runtimes have come back. */
  latenessAfterStorm: Lateness;
}

/** What comes after a `kill -9`; the process is started again at once. */
export interface Storm {
  /** From the kill until the process takes connections again. */
  readySeconds: number;
  /** From the kill until every runtime is welcome again. */
  seconds: number;
  /** Upgrades that were refused for now, by status. */
  refusals: Record<string, number>;
}

/** A server while its process may be killed and started again. */
export interface Server {
  metricsPort: number;
  /** Kills it with -9 and resolves when it takes connections again. */
  killAndStart(): Promise<void>;
  /** Called when all have come back after the kill. */
  afterStorm?(): Promise<void>;
}

/** By the runtime's own rule they come back within so much. */
const spreadAfterStormMs = 2_000;

/** What the bare server can be asked too; `empty` is what the process was without sessions. */
export async function measureServer(
  { beats, sessions }: Contest,
  fleet: Fleet,
  server: Server,
  empty: ProcessFigures,
): Promise<Measured> {
  const rested = await readProcess(server.metricsPort);
  await fleet.beat(beats);
  const full = await readProcess(server.metricsPort);
  const measured = {
    residentKiBEach: rounded((full.resident - empty.resident) / 1_024 / sessions),
    heapKiBEach: rounded((full.heap - empty.heap) / 1_024 / sessions),
    cpuMsEachBeat: rounded((full.cpuMs - rested.cpuMs) / fleet.beats.count),
    lateness: fleet.beats.lateness(),
  };
  const storm = await kill(fleet, server);
  await fleet.beat(1, spreadAfterStormMs);
  return { ...measured, storm, latenessAfterStorm: fleet.beats.lateness() };
}

async function kill(fleet: Fleet, server: Server): Promise<Storm> {
  fleet.refusals = {};
  const startMs = performance.now();
  await server.killAndStart();
  const readySeconds = (performance.now() - startMs) / 1_000;
  await fleet.whole();
  const seconds = (performance.now() - startMs) / 1_000;
  await server.afterStorm?.();
  return { readySeconds: rounded(readySeconds), seconds: rounded(seconds), refusals: fleet.refusals };
}
