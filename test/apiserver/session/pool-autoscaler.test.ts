import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import type { ControlPlane } from "../../../hack/cluster/cluster.ts";
import { readPem } from "../../../hack/lib/pki.ts";
import { apiVersion } from "../../../src/api/v1alpha1/index.ts";
import { type ApiClient, connectApi } from "../../support/api-client.ts";
import { startEquippedControlPlane } from "../../support/control-plane.setup.ts";
import { type ExternalMetrics, startExternalMetrics } from "../../support/external-metrics.ts";
import { noteOtherWriters } from "../../support/kube.ts";
import { isLeft, isWarm, PoolKit } from "./pool-kit.ts";
import { type Operator, World } from "./world.ts";

const metric = "deliveries_in_flight";

let plane: ControlPlane;
let api: ApiClient;
let metrics: ExternalMetrics;
let othersEnded: () => void;
beforeAll(async () => {
  plane = await startEquippedControlPlane();
  api = connectApi(plane);
  const pki = join(plane.directory, "pki");
  const [cert = "", key = ""] = await Promise.all(["apiserver.crt", "apiserver.key"].map((file) => readPem(pki, file)));
  metrics = await startExternalMetrics({ cert, key });
  await metrics.register(api);
  await plane.startControllerManager(["--horizontal-pod-autoscaler-sync-period=1s"]);
  othersEnded = noteOtherWriters();
});
afterAll(async () => {
  await plane.stop();
  othersEnded();
  await metrics.close();
  await api.close();
});

let world: World;
let kit: PoolKit;
let operator: Operator;
beforeEach(async () => {
  world = await World.make(plane.kubeconfig);
  kit = new PoolKit(world);
  await kit.changeClass({ maxWarmSandboxes: 10 });
  operator = await world.startOperator({}, { hasPools: true });
});
afterEach(() => world.close());

/** One sandbox that waits for each of what the metric counts, and no delay before there are fewer. */
async function autoscale(bounds: { minReplicas: number; maxReplicas: number }): Promise<void> {
  const { namespace } = world;
  const external = { metric: { name: metric }, target: { type: "AverageValue", averageValue: "1" } };
  await api.apply(`/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers/warm`, {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "warm", namespace },
    spec: {
      ...bounds,
      scaleTargetRef: { apiVersion, kind: "SandboxPool", name: "warm" },
      metrics: [{ type: "External", external }],
      behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
    },
  });
}

/** Lets the autoscaler read the metric so often again, while the time of the operator stands still. */
async function untilRead(times: number): Promise<void> {
  const reads = (): number => metrics.reads.get(metric) ?? 0;
  const before = reads();
  await world.until(`the metric is read ${times} times`, () => reads() >= before + times, 0);
}

async function waitingNow(): Promise<number> {
  return (await world.pods()).filter(isLeft).filter(isWarm).length;
}

it("follows the HPA controller up and down within its bounds, and never writes the replicas itself", async () => {
  metrics.values.set(metric, 3);
  await kit.create(1);
  await kit.fill(1);
  await autoscale({ minReplicas: 1, maxReplicas: 4 });
  await kit.fill(3);
  metrics.values.set(metric, 9);
  await kit.fill(4);
  metrics.values.set(metric, 2);
  await kit.fill(2);
  await world.until("two are left", async () => (await waitingNow()) === 2);
  const { generation } = (await kit.get()).metadata;
  await untilRead(3);
  expect((await kit.get()).metadata.generation).toBe(generation);
  expect(operator.writes.filter((write) => write.endsWith(" SandboxPool"))).toEqual([]);
});

it("fills the pool again after a claim to what the autoscaler wants", async () => {
  metrics.values.set(metric, 2);
  await kit.create(1);
  await kit.fill(1);
  await autoscale({ minReplicas: 1, maxReplicas: 4 });
  await kit.fill(2);
  await kit.createSessions(1);
  await world.untilSession("s-0", "taken", ({ sandbox }) => sandbox?.pool === "warm");
  await kit.fill(2);
  await untilRead(3);
  expect((await kit.get()).spec.replicas).toBe(2);
  expect(await waitingNow()).toBe(2);
});
