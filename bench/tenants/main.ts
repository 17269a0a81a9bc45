import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { progressOnStderr } from "../../hack/lib/progress.ts";
import { connectApi } from "../../test/support/api-client.ts";
import { startEquippedControlPlane } from "../../test/support/control-plane.setup.ts";
import { clientOf } from "../../test/support/kube.ts";
import { describeMachine, loadNow } from "../machine.ts";
import { buildRunwright } from "../programs.ts";
import { readWrites } from "../sessions/api-writes.ts";
import { makeAutomation } from "../world.ts";
import { mostMib, tooLarge } from "./memory.ts";
import { Neighbour } from "./neighbour.ts";
import { parseOptions } from "./options.ts";
import { startRelease } from "./release.ts";
import { playRow, type Row } from "./row.ts";
import { makeClass, makeTenant } from "./tenant.ts";

// npm run bench:tenants -- [--output json] [--seconds N] [--rounds N] [--attack NAME]... [--profile FOLDER]
const options = parseOptions(process.argv.slice(2));
const { seconds, rounds, attacks, profile, json } = options;
const progress = progressOnStderr("bench");
const folder = await mkdtemp(join(tmpdir(), "runwright-bench-"));
const program = await buildRunwright(join(folder, "programs"));
const plane = await startEquippedControlPlane({ progress, policies: "of any release" });
try {
  const { kubeconfig } = plane;
  // Deletes what belonged to deleted Sessions.
  await plane.startControllerManager();
  const connection = clientOf({ file: kubeconfig });
  const { client } = connection;
  const api = connectApi(plane);
  await makeClass(client);
  const [quiet, hostile] = [await makeTenant(client, "quiet"), await makeTenant(client, "hostile")];
  const nodeOptions = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`];
  const release = await startRelease({ client, kubeconfig, program, folder, nodeOptions });
  const { keysNamespace } = release;
  const rateLimit = { perSecond: 1_000, burst: 10_000 };
  const automation = await makeAutomation(client, { namespace: quiet, keysNamespace, name: "alerts", rateLimit });
  const payload = await readFile(
    join(import.meta.dirname, "../../test/fixtures/payloads/alertmanager-v4.json"),
    "utf8",
  );
  const neighbour = new Neighbour({ client, namespace: quiet, release, automation, payload });
  try {
    await neighbour.prepare();
    // The first seconds of every process are its compiler's.
    await neighbour.live(seconds);
    const before = loadNow();
    const rows: Record<string, Row | { notMeasured: string }> = {};
    const writes = async (): Promise<number> =>
      [...(await readWrites(api)).values()].reduce((sum, one) => sum + one, 0);
    for (const attack of attacks) {
      const scene = { kubeconfig, namespace: hostile, release };
      rows[attack] = await playRow({ attack, seconds, rounds, neighbour, scene, pids: release.pids, writes }).catch(
        (error: unknown) => {
          return { notMeasured: String(error) };
        },
      );
      progress(`${attack}: ${JSON.stringify(ratiosOf(rows[attack]))}`);
    }
    const only = attacks.map((attack) => ` --attack ${attack}`).join("");
    const command = `npm run bench:tenants -- --output json --seconds ${seconds} --rounds ${rounds}${only}`;
    const load = { before, after: loadNow() };
    const document = { time: new Date().toISOString(), command, machine: await describeMachine(), load, rows };
    const large = Object.entries(rows).flatMap(([attack, row]) => largeIn(attack, row));
    for (const one of large) progress(one);
    if (large.length > 0) process.exitCode = 1;
    process.stdout.write(`${JSON.stringify(document, undefined, json ? undefined : 2)}\n`);
  } finally {
    await neighbour.stop();
    await release.stop();
    await api.close();
    await connection.close();
  }
} finally {
  await plane.stop();
  await rm(folder, { recursive: true, force: true });
}

function ratiosOf(row: Row | { notMeasured: string } | undefined): object | undefined {
  if (!row || "notMeasured" in row) return row;
  return { ...Object.fromEntries(Object.entries(row.waits).map(([wait, { ratio }]) => [wait, ratio])), ...row.memory };
}

function largeIn(attack: string, row: Row | { notMeasured: string }): string[] {
  const large = "memory" in row ? tooLarge(row.memory) : [];
  return large.map((one) => `${attack}: more than ${mostMib} MiB above rest: ${one}`);
}
