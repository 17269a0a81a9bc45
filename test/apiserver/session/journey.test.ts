import { afterEach, beforeEach, expect, it } from "vitest";
import type { Session } from "../../../src/api/v1alpha1/index.ts";
import { testCluster } from "../../support/cluster.ts";
import { conditionOf, World } from "./world.ts";

let world: World;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
});
afterEach(() => world.close());

function isStopped({ sandbox }: NonNullable<Session["status"]>): boolean {
  return sandbox?.endTime !== undefined;
}

it("takes a session of a Run from its prompt to a stopped sandbox within its share of the budget", async () => {
  const operator = await world.startOperator();
  const { metadata } = await world.createRun("fix-run");
  const session = await world.createSession("fix", {}, metadata);
  await world.createPrompt(session, 1);
  await world.bringUp(session);
  await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt?.name === "fix-1");
  await world.settlePrompt("fix-1", true, "Completed", { summary: "done", branch: "b" });
  const ended = await world.untilSession("fix", "stopped", isStopped);
  await world.rest(operator);

  expect(ended.status).toMatchObject({
    sandbox: { attempt: 1, endReason: "Stopped" },
    promptsEnded: 1,
    result: { summary: "done", branch: "b" },
    executionTimeoutMs: 7_200_000,
    lifetimeMs: 7_200_000,
  });
  expect(ended.status).not.toHaveProperty("currentPrompt");
  expect(ended.status).not.toHaveProperty("nextDeadline");
  expect(conditionOf(ended, "Ready")).toMatchObject({ status: "True", reason: "Stopped" });
  expect(await world.pods()).toEqual([]);
  expect(await world.bundles()).toEqual([]);
  // The two policies are the namespace's, written once.
  expect(operator.writes.filter((write) => !write.endsWith("NetworkPolicy"))).toEqual([
    "create Secret",
    "create Pod",
    "patch Session/status",
    "patch Session/status",
    "patch Session/status",
    "delete Pod",
    "delete Secret",
  ]);
  expect(operator.work.reconciles.length).toBeLessThanOrEqual(7);
});
