import { readFile } from "node:fs/promises";

import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";

import type { ControlPlane } from "../../hack/cluster/cluster.ts";
import { controllerLeaseName } from "../../src/api/v1alpha1/names.ts";
import { LeaderElection } from "../../src/kube/leader-election.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { connectApi } from "../support/api-client.ts";
import { serviceAccountUser } from "../support/authorized.ts";
import { startEquippedControlPlane } from "../support/control-plane.setup.ts";
import { clientOf, type Connection, until } from "../support/kube.ts";
import { grantProcess, newRelease, processClient, type TestRelease } from "../support/process-accounts.ts";
import { flowOf } from "../support/request-flow.ts";
import { installFlow } from "./support/lease-flow.ts";
import { type Flood, saturate } from "./support/saturation.ts";

// An API server with few seats, which a flood takes as the default ones of a large cluster.

const fewSeats = ["--max-requests-inflight=20", "--max-mutating-requests-inflight=10"];
/** Other ServiceAccounts, and people. */
const floods: readonly Flood[] = [
  { level: "workload-low", user: serviceAccountUser("flood", "robot") },
  { level: "global-default", user: "mallory" },
];

let plane: ControlPlane;
let admin: Connection;
let release: Required<TestRelease>;
beforeAll(async () => {
  plane = await startEquippedControlPlane({ apiserverFlags: fewSeats });
  admin = clientOf({ file: plane.kubeconfig });
  release = await newRelease(admin.client);
});
afterAll(async () => {
  await admin.close();
  await plane.stop();
});

it("renews a leader's Lease at its pace while others wait for a seat", async () => {
  const { name, namespace } = release;
  const user = await grantProcess(admin.client, "controller", release);
  const lease = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${controllerLeaseName(name)}`;
  const api = connectApi(plane);
  onTestFinished(() => api.close());
  const own = await installFlow(api, { name, namespace });
  await until("the schema is in use", async () => (await flowOf(plane, user, lease)).schema === own.schema);

  const connection = processClient("controller", await readFile(plane.kubeconfig, "utf8"), user);
  onTestFinished(() => connection.close());
  let renewals = 0;
  const client = connection.client.withHooks({
    afterRequest: ({ verb, status }) => void (renewals += verb === "update" && status === 200 ? 1 : 0),
  });
  const election = new LeaderElection(
    { client, clock: systemClock, random: systemRandom },
    { namespace, name: controllerLeaseName(name), identity: "one", retryPeriodMs: 500 },
  );
  expect(await election.campaign(new AbortController().signal)).toBe(true);
  onTestFinished(() => election.release());

  const flood = await saturate(plane, floods);
  const answers: number[] = [];
  const ask = async (asker: string, path: string): Promise<void> => {
    const asking = connectApi(plane, asker);
    answers.push((await asking.send("GET", path)).status);
    await asking.close();
  };
  const asked = [
    ask(user, `/api/v1/namespaces/${namespace}/configmaps/any`),
    ask(serviceAccountUser(namespace, `${name}-other`), lease),
    ask(serviceAccountUser("shop", "robot"), lease),
    ask("ada", lease),
  ];
  try {
    const before = renewals;
    await until("it has renewed 5 times", () => renewals >= before + 5);
    // The flood's first requests end after 30 s, and who waits longer than 15 s is sent away.
    expect(answers.filter((status) => status !== 429)).toEqual([]);
    expect(election.isLeading).toBe(true);
  } finally {
    await flood.close();
    await Promise.all(asked);
  }
  expect(answers).toHaveLength(asked.length);
});
