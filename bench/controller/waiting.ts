import { setTimeout as delay } from "node:timers/promises";

import { waitUntil } from "../../hack/lib/wait.ts";
import { controllerLeaseName } from "../../src/api/v1alpha1/index.ts";
import { leases } from "../../src/kube/core-resources.ts";
import type { ControllerFigures } from "./controller-figures.ts";
import { ControllerProcess } from "./controller-process.ts";
import { Edge } from "./edge.ts";
import { live, liveAll, type Lives, startRun } from "./lives.ts";
import { type Round, settled } from "./rounds.ts";
import { openStage, release, type Stage } from "./stage.ts";

/** What many Runs that wait for their agents cost, and a controller that is killed meanwhile. */
export interface Waiting {
  runs: number;
  /** Of the controller, with all Runs live, less what it had with none. */
  memory: Memory;
  /** The same of a controller that found them when it started. */
  restartedMemory: Memory;
  /** From the start of the next process until its caches are filled. */
  readySeconds: number;
  /** From there until it has looked at each Run and Session, which sets the timer of its next deadline. */
  armedSeconds: number;
  /** Of the next process until then, its Events among them; what has settled needs none. */
  writesOnRestart: number;
  /** CPU of the controller for each second of waiting, in milliseconds, all Runs together. */
  cpuMsEachSecond: number;
  /** All that etcd holds, less what it held with none: values and keys. */
  etcdBytes: number;
  /** The same once all have ended: their history. */
  endedEtcdBytes: number;
}

interface Memory {
  residentBytes: number;
  heapBytes: number;
}

const limitMs = 1_800_000;
const idleMs = 10_000;

/** As many Runs at once as a round has; all end well afterwards. */
export async function playWaiting({ runs, inFlight, program, progress }: Round): Promise<Waiting> {
  const stage = await openStage(progress);
  const { client, automations, plane } = stage;
  const start = (): Promise<ControllerProcess> => ControllerProcess.start({ kubeconfig: plane.kubeconfig, program });
  const edge = new Edge(client);
  let controller: ControllerProcess | undefined;
  try {
    controller = await start();
    await edge.start();
    const lives = { client, edge, automations };
    await liveAll(lives, { prefix: "warm-up", runs: inFlight, inFlight });
    await settled(controller);
    const empty = { own: await controller.figures(), etcd: await bytesOf(stage) };
    await startWaiting(lives, runs);
    await settled(controller);
    const full = { own: await controller.figures(), etcd: await bytesOf(stage) };
    await delay(idleMs);
    const idle = await controller.figures();
    progress(`${runs} Runs wait for their agents`);

    await controller.kill();
    // Its Lease would run out by itself after 15 s, which are the same for any number of Runs.
    await client.delete(leases, { namespace: release.namespace, name: controllerLeaseName(release.name) });
    controller = await start();
    const readyMs = performance.now();
    await armed(controller, runs);
    const armedMs = performance.now();
    await settled(controller);
    const again = await controller.figures();

    await endAll(lives);
    await settled(controller);
    const ended = await bytesOf(stage);
    return {
      runs,
      memory: memoryBetween(empty.own, full.own),
      restartedMemory: memoryBetween(empty.own, again),
      readySeconds: (readyMs - controller.startedMs) / 1_000,
      armedSeconds: (armedMs - readyMs) / 1_000,
      writesOnRestart: again.writes,
      cpuMsEachSecond: (1_000 * (idle.cpuMs - full.own.cpuMs)) / idleMs,
      etcdBytes: full.etcd - empty.etcd,
      endedEtcdBytes: ended - empty.etcd,
    };
  } finally {
    await controller?.stop();
    await edge.stop();
    await stage.close();
  }
}

/** Starts so many Runs; resolves when the agents of all work. */
async function startWaiting(lives: Lives, runs: number): Promise<void> {
  const { edge } = lives;
  edge.hold();
  for (let index = 0; index < runs; index += 1) await startRun(lives, index, `run-${index}`);
  await waitUntil(
    () => Promise.resolve(edge.working >= runs),
    limitMs,
    () => Promise.resolve(`the agents of ${runs} Runs work, ${edge.working} do`),
  );
}

/** Resolves when a controller that was started has looked at each Run and Session. */
async function armed(controller: ControllerProcess, runs: number): Promise<void> {
  const isArmed = async (): Promise<boolean> => {
    const { reconciles } = await controller.figures();
    return (reconciles.run ?? 0) >= runs && (reconciles.session ?? 0) >= runs;
  };
  await waitUntil(isArmed, limitMs, () => Promise.resolve("each Run and Session was looked at"));
}

/** Has the agents of all answer; resolves when their Runs and one more have ended. */
async function endAll(lives: Lives): Promise<void> {
  const { edge } = lives;
  edge.release();
  await live(lives, 0, "last");
  await waitUntil(
    () => Promise.resolve(edge.unended === 0),
    limitMs,
    () => Promise.resolve(`all Runs have ended, ${edge.unended} have not`),
  );
}

function memoryBetween(before: ControllerFigures, after: ControllerFigures): Memory {
  return {
    residentBytes: after.residentBytes - before.residentBytes,
    heapBytes: after.heapBytes - before.heapBytes,
  };
}

async function bytesOf({ plane }: Stage): Promise<number> {
  const stored = await plane.readStorage();
  return stored.reduce((sum, { key, value }) => sum + Buffer.byteLength(key) + value.length, 0);
}
