import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { progressOnStderr } from "../../hack/lib/progress.ts";
import { describeMachine, loadNow } from "../machine.ts";
import { buildRunwright, ensureLoad } from "../programs.ts";
import { orderOf, rounded } from "../statistics.ts";
import { measureEvents } from "./events.ts";
import { type Played, throughputOf } from "./figures.ts";
import { parseOptions } from "./options.ts";
import { type Recorded, recordLife } from "./record.ts";
import { playController, playReplay, type Round } from "./rounds.ts";
import { playWaiting, type Waiting } from "./waiting.ts";

// npm run bench:controller -- [--output json] [--runs N] [--rounds N] [--in-flight N] [--profile FOLDER]
const { runs, rounds, inFlight, profile, json } = parseOptions(process.argv.slice(2));
const progress = progressOnStderr("bench");
const folder = await mkdtemp(join(tmpdir(), "runwright-bench-"));
try {
  const program = await buildRunwright(join(folder, "programs"));
  const load = await ensureLoad(progress);
  const round: Round = { runs, inFlight, program, load, profile, progress };
  const recorded = await recordLife(program, progress);
  progress(`one Run is ${recorded.steps.length} writes, Events among them`);
  const before = loadNow();
  const played: Played[] = [];
  for (let index = 0; index < rounds; index += 1) played.push(await playRound(round, recorded, index));
  const waiting = await playWaiting(round);
  const document = {
    time: new Date().toISOString(),
    command: `npm run bench:controller -- --output json --runs ${runs} --rounds ${rounds} --in-flight ${inFlight}`,
    machine: await describeMachine(),
    load: { before, after: loadNow() },
    script: recorded.steps.map(({ method, path }) => `${method} ${path.replace(/\?.*$/, "")}`),
    throughput: throughputOf(played),
    waiting: shown(waiting),
    events: await measureEvents(),
  };
  process.stdout.write(`${JSON.stringify(document, undefined, json ? undefined : 2)}\n`);
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Both contenders, in another order each time. */
async function playRound(round: Round, recorded: Recorded, index: number): Promise<Played> {
  const one: Partial<Played> = {};
  for (const contender of orderOf(["controller", "replay"] as const, index)) {
    if (contender === "controller") one.controller = await playController(round);
    else one.replay = await playReplay(round, recorded);
    progress(`round ${index + 1}: ${contender} ${rounded(one[contender]?.perSecond ?? 0)} Runs/s`);
  }
  // Both had their turn.
  return one as Played;
}

function shown({ runs: waited, memory, restartedMemory, ...waiting }: Waiting): object {
  const mibEach1000 = (bytes: number): number => rounded((1_000 * bytes) / waited / 2 ** 20);
  return {
    runs: waited,
    residentMiBEach1000: mibEach1000(memory.residentBytes),
    heapMiBEach1000: mibEach1000(memory.heapBytes),
    restarted: {
      residentMiBEach1000: mibEach1000(restartedMemory.residentBytes),
      heapMiBEach1000: mibEach1000(restartedMemory.heapBytes),
    },
    readySeconds: rounded(waiting.readySeconds),
    armedSeconds: rounded(waiting.armedSeconds),
    writesOnRestart: waiting.writesOnRestart,
    cpuMsEachSecond: rounded(waiting.cpuMsEachSecond),
    etcdBytesEach: Math.round(waiting.etcdBytes / waited),
    endedEtcdBytesEach: Math.round(waiting.endedEtcdBytes / waited),
  };
}
