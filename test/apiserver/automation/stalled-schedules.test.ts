import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";

import type { Automation } from "../../../src/api/v1alpha1/index.ts";
import { type ApiClient, connectApi } from "../../support/api-client.ts";
import type { ControlPlane } from "../../../hack/cluster/cluster.ts";
import { startEquippedControlPlane } from "../../support/control-plane.setup.ts";
import { until } from "../../support/kube.ts";
import { conditionOf, World } from "../run/world.ts";
import { hour, hourly, patchSpec, startHour, untilNext } from "./scheduled.ts";

let plane: ControlPlane;
let world: World;
beforeAll(async () => {
  // Without the policies, as what was stored before there were any.
  plane = await startEquippedControlPlane();
  const api = connectApi(plane);
  await forgetTimeZones(api);
  await api.close();
});
afterAll(() => plane.stop());
beforeEach(async () => {
  world = await World.make(plane.kubeconfig);
});
afterEach(() => world.close());

/** As with an API server that knows more time zones than the controller. */
async function forgetTimeZones(api: ApiClient): Promise<void> {
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/automations.runwright.dev";
  const { body } = await api.send("GET", path);
  const known = JSON.stringify(body);
  const relaxed = known.replace("timestamp('2026-01-01T00:00:00Z').getFullYear(self) > 0", "true");
  expect(relaxed).not.toBe(known);
  expect(await api.send("PUT", path, JSON.parse(relaxed))).toMatchObject({ status: 200 });
  const trigger = { type: "Schedule", schedule: { cron: "0 * * * *", timeZone: "Europe/Atlantis" } };
  const automation = {
    apiVersion: "runwright.dev/v1alpha1",
    kind: "Automation",
    metadata: { name: "tried" },
    spec: { instructions: "Do it.", trigger, serviceAccountName: "runner" },
  };
  const automations = "/apis/runwright.dev/v1alpha1/namespaces/default/automations?dryRun=All";
  await until("the zone is taken", async () => (await api.send("POST", automations, automation)).status === 201);
}

async function untilReady(reason: string): Promise<Automation> {
  await world.until(`it is ${reason}`, async () => {
    const { status, metadata } = await world.automation("nightly");
    return status?.observedGeneration === metadata.generation && conditionOf({ status }, "Ready")?.reason === reason;
  });
  return world.automation("nightly");
}

it.each([
  { what: "a range that goes downwards", cron: "0 5-1 * * *", timeZone: "UTC", reason: "InvalidSchedule" },
  { what: "slots that are 14 minutes apart", cron: "0,14 * * * *", timeZone: "UTC", reason: "IntervalTooShort" },
  { what: "a zone that is nowhere", cron: "0 * * * *", timeZone: "Europe/Atlantis", reason: "UnknownTimeZone" },
])("a schedule with $what stalls, fires nothing and goes on when it is fixed", async ({ cron, timeZone, reason }) => {
  await world.createAutomation("nightly", { trigger: { type: "Schedule", schedule: { cron, timeZone } } });
  const operator = await world.startOperator();
  const stalled = await untilReady(reason);
  expect(conditionOf(stalled, "Ready")).toMatchObject({ status: "False", observedGeneration: 1 });
  expect(conditionOf(stalled, "Stalled")).toMatchObject({ status: "True", reason });
  expect(conditionOf(stalled, "Stalled")?.message).toContain(reason === "UnknownTimeZone" ? timeZone : cron);
  expect(conditionOf(stalled, "Reconciling")).toBeUndefined();
  expect(stalled.status?.nextScheduleTime).toBeUndefined();
  world.clock.advance(2 * 3_600_000);
  await world.rest(operator);
  expect(operator.writes.filter((write) => write.startsWith("create"))).toEqual([]);

  startHour(world);
  const next = hour(world, 1);
  await patchSpec(world, "nightly", hourly());
  const fixed = await untilNext(world, "nightly", next);
  expect(conditionOf(fixed, "Stalled")).toBeUndefined();
  expect(conditionOf(fixed, "Ready")).toMatchObject({ status: "True", observedGeneration: 2 });
});
