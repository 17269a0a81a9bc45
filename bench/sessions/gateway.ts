import { setTimeout as delay } from "node:timers/promises";

import { leases } from "../../src/kube/core-resources.ts";
import { Informer } from "../../src/kube/informer.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { clientOf } from "../../test/support/kube.ts";
import {
  freeGatewayPorts,
  makeGatewayAccount,
  startGatewayProcess,
} from "../../test/support/runtime-gateway-process.ts";
import { rounded } from "../statistics.ts";
import { readWrites, writesBetween } from "./api-writes.ts";
import { Fleet, makeMembers, type Member } from "./fleet.ts";
import { type Contest, type Measured, measureServer } from "./measured.ts";
import { readProcess } from "./process-metrics.ts";

export interface MeasuredGateway extends Measured {
  /** Until all were welcome who began to connect at once. */
  connectSeconds: number;
  /** Writes of everybody while there were heartbeats; the replica's own Lease is not among them. */
  writesEachBeat: Record<string, number>;
  /** Writes from the kill until every runtime was welcome again, for each session. */
  writesEachReconnect: Record<string, number>;
  members: readonly Member[];
}

/** A real gateway process. */
export async function measureGateway(contest: Contest): Promise<MeasuredGateway> {
  const { world, api, program, progress, profile, sessions } = contest;
  const account = await makeGatewayAccount(world);
  const ports = await freeGatewayPorts();
  const nodeOptions = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`];
  const start = (): ReturnType<typeof startGatewayProcess> =>
    startGatewayProcess(world, account, "gateway-1", { program, ports, nodeOptions });
  let gateway = await start();
  const empty = await readProcess(ports.observability);
  progress(`making ${sessions} sessions`);
  const members = await makeMembers(world, sessions);
  const fleet = new Fleet(members, { port: ports.sandbox, ca: world.ca });
  const renewals = await followRenewals(contest);
  fleet.start();
  const connectSeconds = rounded((await fleet.whole()) / 1_000);
  progress(`all are connected to the gateway, within ${connectSeconds} s`);
  await delay(settleMs);

  const before = await readWrites(api);
  const ownBefore = renewals.own();
  let beforeStorm = before;
  let afterStorm = before;
  let ownBeats = 0;
  const measured = await measureServer(
    contest,
    fleet,
    {
      metricsPort: ports.observability,
      async killAndStart() {
        beforeStorm = await readWrites(api);
        ownBeats = renewals.own() - ownBefore;
        await gateway.kill();
        gateway = await start();
      },
      async afterStorm() {
        afterStorm = await readWrites(api);
      },
    },
    empty,
  );
  await renewals.close();
  fleet.stop();
  await gateway.kill();
  const { count } = measured.lateness;
  return {
    ...measured,
    connectSeconds,
    writesEachBeat: shares(writesBetween(before, beforeStorm), count, ownBeats),
    writesEachReconnect: shares(writesBetween(beforeStorm, afterStorm), sessions, 0),
    members,
  };
}

/** After connecting, until what connecting causes has been written. */
const settleMs = 2_000;

function shares(writes: Record<string, number>, count: number, ownLease: number): Record<string, number> {
  const own = (what: string): number => (what === "PATCH leases" ? ownLease : 0);
  return Object.fromEntries(
    Object.entries(writes).map(([what, times]) => [what, Number(((times - own(what)) / count).toFixed(4))]),
  );
}

/** Counts the replica's own renewals. */
async function followRenewals({ world, kubeconfig }: Contest): Promise<{ own(): number; close(): Promise<void> }> {
  const connection = clientOf({ file: kubeconfig });
  const deps = { client: connection.client, clock: systemClock, random: systemRandom };
  const replicas = new Informer(deps, leases, { namespace: world.release.namespace });
  let own = 0;
  replicas.onChange(() => (own += 1));
  replicas.start();
  await replicas.synced();
  return {
    own: () => own,
    async close() {
      await replicas.stop();
      await connection.close();
    },
  };
}
