import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { progressOnStderr } from "../hack/lib/progress.ts";
import { startEquippedControlPlane } from "../test/support/control-plane.setup.ts";
import { clientOf } from "../test/support/kube.ts";
import { measureFloods } from "./flood.ts";
import { startIngressProcess } from "./ingress.ts";
import { describeMachine, loadNow } from "./machine.ts";
import type { Bench } from "./measure.ts";
import { parseOptions } from "./options.ts";
import { buildRunwright, ensureLoad } from "./programs.ts";
import { measureAnswered, measureDuplicates, measureIntake, measureSender } from "./rounds.ts";
import { makeBenchWorld } from "./world.ts";

// npm run bench -- [--output json] [--seconds N] [--rounds N] [--profile FOLDER]
const options = parseOptions(process.argv.slice(2));
const { seconds, rounds } = options;
const progress = progressOnStderr("bench");
const folder = await mkdtemp(join(tmpdir(), "runwright-bench-"));
const load = await ensureLoad(progress);
const program = await buildRunwright(join(folder, "programs"));
const plane = await startEquippedControlPlane({ progress, policies: "of any release" });
try {
  const connection = clientOf({ file: plane.kubeconfig });
  const world = await makeBenchWorld(connection.client, folder);
  await connection.close();
  const { kubeconfig } = plane;
  const { keysNamespace } = world;
  const nodeOptions = options.profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${options.profile}`];
  const ingress = await startIngressProcess({ program, kubeconfig, keysNamespace, nodeOptions });
  const bench: Bench = { load, kubeconfig, ingress, files: await world.writeFiles(ingress.url), seconds };
  try {
    report(await measureAll(bench));
  } finally {
    await ingress.stop();
  }
} finally {
  await plane.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measureAll(bench: Bench): Promise<object> {
  const machine = await describeMachine();
  const loadBefore = loadNow();
  progress(`${rounds} rounds of ${seconds} s on ${machine.cpus} CPUs, load ${loadBefore}`);
  // The first seconds of every process are its compiler's.
  await measureIntake({ ...bench, seconds: 1 }, 1, () => undefined);
  const intake = await measureIntake(bench, rounds, progress);
  const rejected = await measureAnswered(bench, "rejected", rounds);
  progress(`rejected: ${rejected.perSecond}/s`);
  const filtered = await measureAnswered(bench, "filtered", rounds);
  progress(`filtered: ${filtered.perSecond}/s`);
  const duplicates = await measureDuplicates(bench, rounds);
  progress(`duplicates: ${duplicates.perSecond}/s, ${duplicates.ratio ?? 0} x client-go`);
  const floods = await measureFloods(bench, rounds);
  progress(`beside a flood of accepted deliveries: p50 ${floods.accepted.p50Ms} ms, alone ${floods.alone.p50Ms} ms`);
  const sender = await measureSender(bench);
  const command = `npm run bench -- --output json --seconds ${seconds} --rounds ${rounds}`;
  const time = new Date().toISOString();
  return {
    time,
    command,
    machine,
    load: { before: loadBefore, after: loadNow() },
    intake,
    rejected,
    filtered,
    duplicates,
    floods,
    sender,
  };
}

function report(document: object): void {
  process.stdout.write(`${JSON.stringify(document, undefined, options.json ? undefined : 2)}\n`);
}
