import { afterEach, beforeEach, expect, it } from "vitest";
import type { Session } from "../../../src/api/v1alpha1/index.ts";
import { roleBindings } from "../../../src/controllers/sandbox/tenant/service-account.ts";
import type { Pod } from "../../../src/kube/core-resources.ts";
import { testCluster } from "../../support/cluster.ts";
import { conditionOf, type Operator, World } from "./world.ts";

let world: World;
let operator: Operator;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  operator = await world.startOperator();
});
afterEach(() => world.close());

const podsOf = async ({ metadata }: Session): Promise<Pod[]> =>
  (await world.pods()).filter((pod) => pod.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid));

async function deleteRoleBindings(): Promise<void> {
  const { items } = await world.client.list(roleBindings, { namespace: world.namespace });
  const allowed = items.filter(({ metadata }) => metadata.name?.startsWith("allowed-"));
  expect(allowed).not.toEqual([]);
  for (const { metadata } of allowed) {
    await world.client.delete(roleBindings, { namespace: world.namespace, name: metadata.name ?? "" });
  }
}

it("starts no sandbox of a class once the RoleBinding is deleted, and ends none that works", async () => {
  const before = await world.createSession("before");
  await world.createPrompt(before, 1);
  await world.until("its pod", async () => (await podsOf(before)).length === 1);
  await deleteRoleBindings();
  const after = await world.createSession("after");
  await world.createPrompt(after, 1);
  const verdict = async (): Promise<object | undefined> => conditionOf(await world.prompt("after-1"), "Succeeded");
  await world.until("a verdict", async () => (await verdict()) !== undefined);
  await world.rest(operator);
  expect(await verdict()).toMatchObject({ status: "False", reason: "OwnerNotAllowed" });
  expect([await podsOf(after), (await podsOf(before)).length]).toEqual([[], 1]);
});
