import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { progressOnStderr } from "../../hack/lib/progress.ts";
import { connectApi } from "../../test/support/api-client.ts";
import { useCluster } from "../../test/support/cluster.ts";
import { startEquippedControlPlane } from "../../test/support/control-plane.setup.ts";
import { makeWorld } from "../../test/support/runtime-world.ts";
import { describeMachine, loadNow } from "../machine.ts";
import { buildRunwright } from "../programs.ts";
import { measureBare } from "./bare.ts";
import { measureGateway } from "./gateway.ts";
import type { Contest } from "./measured.ts";
import { parseOptions } from "./options.ts";
import { ratiosOf } from "./ratios.ts";

// npm run bench:sessions -- [--output json] [--sessions N] [--beats N] [--profile FOLDER]
const options = parseOptions(process.argv.slice(2));
const progress = progressOnStderr("bench");
const folder = await mkdtemp(join(tmpdir(), "runwright-bench-"));
const program = await buildRunwright(join(folder, "programs"));
const plane = await startEquippedControlPlane({ progress, policies: "of any release" });
try {
  const api = connectApi(plane);
  useCluster(plane);
  const world = await makeWorld();
  const machine = await describeMachine();
  const before = loadNow();
  const contest: Contest = { world, api, kubeconfig: plane.kubeconfig, program, progress, ...options };
  const { members, ...gateway } = await measureGateway(contest);
  const baseline = await measureBare(contest, members);
  const { sessions, beats, json } = options;
  const command = `npm run bench:sessions -- --output json --sessions ${sessions} --beats ${beats}`;
  const load = { before, after: loadNow() };
  const figures = { gateway, baseline, ratios: ratiosOf(gateway, baseline) };
  const document = { time: new Date().toISOString(), command, machine, load, sessions, ...figures };
  process.stdout.write(`${JSON.stringify(document, undefined, json ? undefined : 2)}\n`);
  await world.close();
  await api.close();
} finally {
  await plane.stop();
  await rm(folder, { recursive: true, force: true });
}
