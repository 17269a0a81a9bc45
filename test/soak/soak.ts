import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import type { ControlPlane } from "../../hack/cluster/cluster.ts";
import type { Misses } from "./processes.ts";
import type { Open } from "./kept-process.ts";
import { openStage, type Stage } from "./stage.ts";

export interface SoakOptions {
  plane: ControlPlane;
  seed: number;
  seconds: number;
  /** Senders at once. */
  lanes: number;
  /** Called each minute with how many events were accepted so far. */
  passed?: (accepted: number) => void;
  misses?: Misses | undefined;
  /** Whether connections are left alone. */
  isCalm?: boolean;
  /** Runs before anything is measured: what is made once is there then; by default 12. */
  warmUpRuns?: number;
}

/** What a soak came to. */
export interface Outcome {
  /** Events that were accepted, and verdicts of their Runs by reason. */
  accepted: number;
  verdicts: Record<string, number>;
  /** What went wrong between processes and the API server, by kind. */
  trouble: Record<string, number>;
  /** How often processes were started, those that ended as they led no more included. */
  starts: Record<string, number>;
  /** What each process has open at rest. */
  open: { before: Record<string, Open>; after: Record<string, Open> };
  /** Of all processes together, in MiB, at rest. */
  heapMiB: { before: number; after: number };
  violations: string[];
}

/** How long all may take to come to rest. */
const restMs = 150_000;
/** Between two looks at what is open: connections end, and what is written last is answered. */
const settleMs = 200;

/** Has the operator work behind faulty connections, and holds what it has kept and what it has open against the beginning. */
export async function soak(options: SoakOptions): Promise<Outcome> {
  const stage = await openStage(options);
  const { processes, troubles, deliveries } = stage;
  await warmUp(stage, options);
  await cleanedUp(stage);
  const before = openOf(stage);
  const heapBefore = heapMiB();

  const over = new AbortController();
  const working = Array.from({ length: options.lanes }, () => deliveries.keepSending(over.signal));
  if (!options.isCalm) for (const trouble of troubles) trouble.begin();
  await pass(stage, options);
  over.abort();
  for (const trouble of troubles) trouble.end();
  await Promise.all(working);
  for (const process of processes) process.hurry();
  const rest = await atRest(stage, before);
  const missed = await Promise.all(processes.map((process) => process.missed()));
  const after = openOf(stage);
  const heapAfter = heapMiB();

  const left: string[] = [];
  for (const process of processes) left.push(...(await process.stop()));
  const violations = [...deliveries.violations(), ...rest, ...missed.flat(), ...left];
  await stage.close();
  return {
    accepted: deliveries.accepted.length,
    verdicts: deliveries.verdicts,
    trouble: summed(troubles.map(({ counts }) => counts)),
    starts: Object.fromEntries(processes.map(({ name, starts }) => [name, starts])),
    open: { before, after },
    heapMiB: { before: heapBefore, after: heapAfter },
    violations,
  };
}

/** As many senders as later, so that what they keep open is there before anything is measured. */
async function warmUp({ deliveries }: Stage, { lanes, warmUpRuns = 12 }: SoakOptions): Promise<void> {
  let left = warmUpRuns;
  const send = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await deliveries.send();
    }
  };
  await Promise.all(Array.from({ length: lanes }, send));
}

async function pass(stage: Stage, { seconds, passed }: SoakOptions): Promise<void> {
  for (let left = seconds; left > 0; left -= 60) {
    await delay(Math.min(left, 60) * 1_000);
    stage.forget();
    passed?.(stage.deliveries.accepted.length);
  }
}

async function cleanedUp(stage: Stage): Promise<void> {
  const endMs = performance.now() + restMs;
  while ((await stage.leftovers()).length > 0 && performance.now() < endMs) await settle(stage);
  await settle(stage);
}

/** Has go out what processes hold back, and closes the connections that this leaves idle. */
async function settle(stage: Stage): Promise<void> {
  for (const process of stage.processes) process.flush();
  await delay(settleMs);
  stage.closeIdle();
  await delay(settleMs);
}

/** Waits until nothing is left and no more is open than before; what is. */
async function atRest(stage: Stage, before: Record<string, Open>): Promise<string[]> {
  const endMs = performance.now() + restMs;
  for (;;) {
    await settle(stage);
    const found = [...(await stage.leftovers()), ...moreThan(before, openOf(stage))];
    if (found.length === 0 || performance.now() > endMs) return found;
  }
}

function moreThan(before: Record<string, Open>, now: Record<string, Open>): string[] {
  return Object.entries(now).flatMap(([name, open]) =>
    (Object.keys(open) as (keyof Open)[])
      .filter((what) => open[what] > (before[name]?.[what] ?? 0))
      .map((what) => `the ${name} has ${open[what]} ${what} open; at the start it had ${before[name]?.[what] ?? 0}`),
  );
}

function openOf({ processes }: Stage): Record<string, Open> {
  return Object.fromEntries(processes.map((process) => [process.name, process.open]));
}

function summed(counts: readonly ReadonlyMap<string, number>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [kind, count] of counts.flatMap((one) => [...one])) sums[kind] = (sums[kind] ?? 0) + count;
  return sums;
}

/** After a collection of what is not used any more. */
function heapMiB(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  return Math.round(process.memoryUsage().heapUsed / 2 ** 20);
}
