import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { run } from "../../hack/lib/command.ts";
import type { Progress } from "../../hack/lib/progress.ts";
import { Automation } from "../../src/api/v1alpha1/index.ts";
import { type Measured, readMeasured } from "../measured.ts";
import { readWrites, type Writes, writesBetween } from "../sessions/api-writes.ts";
import { percentile } from "../statistics.ts";
import { type ControllerFigures, reconcilesOf } from "./controller-figures.ts";
import { ControllerProcess } from "./controller-process.ts";
import { Edge } from "./edge.ts";
import type { Lived } from "./figures.ts";
import { liveAll } from "./lives.ts";
import { quiet } from "./quiet.ts";
import type { Recorded } from "./record.ts";
import { automationNames, openStage, type Stage } from "./stage.ts";

/** What both contenders of a round are given. */
export interface Round {
  runs: number;
  inFlight: number;
  /** Paths of the programs. */
  program: string;
  load: string;
  profile?: string | undefined;
  progress: Progress;
}

/** Runs that go by before it counts: the first seconds of every process are its compiler's. */
const warmUps = 50;

interface Counted {
  own: ControllerFigures;
  writes: Writes;
  apiServerCpuMs: number;
}

/** The controller with Runs that go by, on a stage of its own. */
export async function playController({ runs, inFlight, program, profile, progress }: Round): Promise<Lived> {
  const stage = await openStage(progress);
  const { client, automations, plane } = stage;
  const edge = new Edge(client);
  let controller: ControllerProcess | undefined;
  try {
    controller = await ControllerProcess.start({ kubeconfig: plane.kubeconfig, program, profile });
    await edge.start();
    const lives = { client, edge, automations };
    await liveAll(lives, { prefix: "warm-up", runs: warmUps, inFlight });
    await settled(controller);
    const before = await count(stage, controller);
    const beganMs = performance.now();
    const took = await liveAll(lives, { prefix: "run", runs, inFlight });
    const seconds = (performance.now() - beganMs) / 1_000;
    await settled(controller);
    const after = await count(stage, controller);
    const each = (of: (counted: Counted) => number): number => (of(after) - of(before)) / runs;
    return {
      perSecond: runs / seconds,
      p50Ms: percentile(took, 0.5),
      p99Ms: percentile(took, 0.99),
      cpuMs: each(({ own }) => own.cpuMs),
      apiServerCpuMs: each(({ apiServerCpuMs }) => apiServerCpuMs),
      reconciles: each(({ own }) => reconcilesOf(own)),
      reconcilesBy: Object.fromEntries(
        Object.keys(after.own.reconciles).map((name) => [name, each(({ own }) => own.reconciles[name] ?? 0)]),
      ),
      writes: Object.fromEntries(
        Object.entries(writesBetween(before.writes, after.writes)).map(([what, count]) => [what, count / runs]),
      ),
      failures: edge.failures,
    };
  } finally {
    await controller?.stop();
    await edge.stop();
    await stage.close();
  }
}

/** Resolves when Events and counters of ended Runs are written. */
export function settled(controller: ControllerProcess): Promise<void> {
  return quiet("the controller has nothing more to write", async () => (await controller.figures()).writes);
}

async function count({ api }: Stage, controller: ControllerProcess): Promise<Counted> {
  const { body } = await api.send("GET", "/metrics");
  const apiServerCpuMs = 1_000 * Number(/^process_cpu_seconds_total (\S+)$/m.exec(String(body))?.[1]);
  return { own: await controller.figures(), writes: await readWrites(api), apiServerCpuMs };
}

/** The Go program with the same writes for as many Runs, on a stage of its own. */
export async function playReplay(
  { runs, inFlight, load, progress }: Round,
  { steps, automationStatus }: Recorded,
): Promise<Measured> {
  const stage = await openStage(progress);
  const { client, automations } = stage;
  try {
    await Promise.all(automations.map((automation) => client.patchStatus(Automation, automation, automationStatus)));
    const file = join(stage.plane.directory, "script.json");
    await writeFile(file, JSON.stringify({ automations: automationNames, steps }));
    const replay = ["replay", "-kubeconfig", stage.plane.kubeconfig, "-script", file];
    const much = ["-in-flight", String(inFlight), "-count", String(runs), "-seconds", "3600"];
    return readMeasured("the Go program", await run(load, [...replay, ...much]));
  } finally {
    await stage.close();
  }
}
